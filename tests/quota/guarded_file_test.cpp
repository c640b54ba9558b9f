// SPDX-License-Identifier: Apache-2.0
#include "quota/guarded_file.h"

#include "quota/trust.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

Code refused_with(const Result<std::string>& result) { return result ? Code::internal : result.error().code; }

TEST(GuardedFile, ReadsASecretLessItsOneNewline) {
  const TempFolder folder;
  EXPECT_EQ(read_guarded(folder.write("t", "secret\n"), ::geteuid(), kSecretFile).value(), "secret");
  EXPECT_EQ(read_guarded(folder.write("u", "secret\n\n"), ::geteuid(), kSecretFile).value(), "secret\n");
  EXPECT_EQ(read_guarded(folder.write("v", "secret", 0400), ::geteuid(), kSecretFile).value(), "secret");
}

TEST(GuardedFile, RefusesWhatOthersCanRead) {
  const TempFolder folder;
  for (const unsigned mode : {0644U, 0640U, 0604U, 0620U, 0601U}) {
    const auto text = read_guarded(folder.write("t" + std::to_string(mode), "secret", mode), ::geteuid(), kSecretFile);
    ASSERT_EQ(refused_with(text), Code::denied) << mode;
    EXPECT_NE(text.error().next.find("chmod 600"), std::string::npos);
    EXPECT_EQ(text.error().text().find("secret"), std::string::npos);
  }
}

TEST(GuardedFile, RefusesLinksPipesAndFolders) {
  const TempFolder folder;
  const std::string file = folder.write("t", "secret");
  std::filesystem::create_symlink(file, folder / "link");
  EXPECT_EQ(refused_with(read_guarded(folder / "link", ::geteuid(), kSecretFile)), Code::denied);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused_with(read_guarded(folder / "pipe", ::geteuid(), kSecretFile)), Code::denied);
  EXPECT_EQ(refused_with(read_guarded(folder.path(), ::geteuid(), kSecretFile)), Code::denied);
  EXPECT_EQ(refused_with(read_guarded(folder / "absent", ::geteuid(), kSecretFile)), Code::invalid_input);
}

TEST(GuardedFile, RefusesWhatIsTooLargeAndWhatIsSomebodyElses) {
  const TempFolder folder;
  EXPECT_EQ(refused_with(read_guarded(folder.write("t", std::string(8193, 'x')), ::geteuid(), kSecretFile)), Code::denied);
  EXPECT_EQ(refused_with(read_guarded("/dev/zero", ::geteuid(), kSecretFile)), Code::denied);
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away needs root";
  const std::string file = folder.write("u", "secret");
  ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);
  EXPECT_EQ(refused_with(read_guarded(file, 0, kSecretFile)), Code::denied);
  EXPECT_TRUE(read_guarded(file, 12345, kSecretFile));
}

TEST(Trust, LoadsTheKeysOfItsFolders) {
  const TempFolder folder;
  const Desk one, two;
  Json second = two.jwks();
  second["issuer"] = "https://second.example";
  folder.write("trust.d/one.jwks.json", to_line(one.jwks()), 0644);
  folder.write("trust.d/two.jwks.json", to_line(second), 0644);
  folder.write("trust.d/README", "not a key");
  const auto trust = TrustStore::load({folder / "trust.d", folder / "absent"}, ::geteuid());
  ASSERT_TRUE(trust) << trust.error().text();
  EXPECT_EQ(trust->size(), 2U);
  ASSERT_NE(trust->find(two.key.kid()), nullptr);
  EXPECT_EQ(trust->find(two.key.kid())->issuer, "https://second.example");
  EXPECT_TRUE(verify_token(one.token(), *trust, one.expect()));
  // The second issuer's key signs in the first one's name.
  const auto forged = verify_token(two.token(), *trust, two.expect());
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().step, Step::issuer);
}

TEST(Trust, RefusesFilesThatOthersCanWriteOrThatAreWrong) {
  const Desk desk;
  const auto load = [&](const std::string& content, unsigned mode) {
    const TempFolder folder;
    folder.write("x.jwks.json", content, mode);
    auto trust = TrustStore::load({folder.path()}, ::geteuid());
    return trust ? Code::internal : trust.error().code;
  };
  EXPECT_EQ(load(to_line(desk.jwks()), 0666), Code::denied);
  EXPECT_EQ(load("{", 0644), Code::configuration);
  EXPECT_EQ(load(R"({"keys":[]})", 0644), Code::configuration);
  EXPECT_EQ(load(R"({"issuer":"http://plain.example","keys":[]})", 0644), Code::configuration);
  Json twice = desk.jwks();
  twice["keys"].push_back(desk.key.public_jwk());
  EXPECT_EQ(load(to_line(twice), 0644), Code::configuration);
}

TEST(Trust, LetsTheSitesFolderStandAlone) {
  const Office office;
  const std::string site = office.folder / "site";
  EXPECT_EQ(trust_folders(office.environment, site), (std::vector<std::string>{office.folder / "config/topolaunch/trust.d", site}));
  office.folder.write("site/a.jwks.json", "{}", 0644);
  EXPECT_EQ(trust_folders(office.environment, site), std::vector<std::string>{site});
}

}  // namespace
}  // namespace topolaunch::quota
