// SPDX-License-Identifier: Apache-2.0
#include "quota/store/sqlite_book.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "quota/open_ledger.h"
#include "quota/store/sqlite.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

SqliteOptions creating() {
  SqliteOptions options;
  options.mode = SqliteOptions::Mode::create;
  options.busy_milliseconds = 2000;
  return options;
}
ReserveRequest request(const Desk& desk, const std::string& id, std::int64_t gpus = 1) {
  ReserveRequest r;
  r.run_id = id;
  r.grant = desk.claims().grant;
  r.demand.count = gpus;
  r.demand.wall_seconds = 1;
  return r;
}
unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0U;
}

TEST(SqliteLedger, IsAFileForItsOwnerAlone) {
  const TempFolder folder;
  const Desk desk;
  const std::string path = folder / "deep/state/ledger.sqlite";
  const auto ledger = open_sqlite_ledger(path, creating(), desk.clock);
  ASSERT_TRUE(ledger) << ledger.error().text();
  ASSERT_TRUE((*ledger)->reserve(request(desk, "r1")));
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path + "-wal"), 0600U);
  EXPECT_EQ(mode_of(folder / "deep/state"), 0700U);
}

TEST(SqliteLedger, KeepsItsNameAndRowsWhenOpenedAgain) {
  const TempFolder folder;
  const Desk desk;
  std::string urn;
  {
    const auto ledger = open_sqlite_ledger(folder / "l", creating(), desk.clock);
    ASSERT_TRUE(ledger);
    urn = (*ledger)->urn();
    ASSERT_TRUE((*ledger)->reserve(request(desk, "r1")));
  }
  SqliteOptions reading;
  reading.mode = SqliteOptions::Mode::read;
  const auto ledger = open_sqlite_ledger(folder / "l", reading, desk.clock);
  ASSERT_TRUE(ledger) << ledger.error().text();
  EXPECT_EQ((*ledger)->urn(), urn);
  EXPECT_EQ((*ledger)->runs()->size(), 1U);
  const auto refused = (*ledger)->reserve(request(desk, "r2"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
}

TEST(SqliteLedger, ThatIsNotThereIsNotMadeByLooking) {
  const TempFolder folder;
  const Desk desk;
  for (const auto mode : {SqliteOptions::Mode::read, SqliteOptions::Mode::write}) {
    SqliteOptions options;
    options.mode = mode;
    const auto ledger = open_sqlite_ledger(folder / "sub/l", options, desk.clock);
    ASSERT_FALSE(ledger);
    EXPECT_EQ(ledger.error().code, Code::unavailable);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "sub"));
}

TEST(SqliteLedger, OfANewerSchemaIsLeftAlone) {
  const TempFolder folder;
  const Desk desk;
  ASSERT_TRUE(open_sqlite_ledger(folder / "l", creating(), desk.clock));
  {
    auto db = Sqlite::open(folder / "l", Sqlite::Mode::write, 1000);
    ASSERT_TRUE(db && db->script("PRAGMA user_version = 2"));
  }
  const auto ledger = open_sqlite_ledger(folder / "l", creating(), desk.clock);
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().code, Code::configuration);
  EXPECT_NE(ledger.error().message.find("version 2"), std::string::npos);
}

TEST(SqliteLedger, IsNotWrittenIntoSomeOtherFile) {
  const TempFolder folder;
  const Desk desk;
  const std::string text = folder.write("notes", std::string(5000, 'x'));
  const auto ledger = open_sqlite_ledger(text, creating(), desk.clock);
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().code, Code::invalid_input);
  EXPECT_EQ(TempFolder::read(text), std::string(5000, 'x'));
  folder.write("other", "");
  {
    auto db = Sqlite::open(folder / "other", Sqlite::Mode::write, 1000);
    ASSERT_TRUE(db && db->script("CREATE TABLE mine (x)"));
  }
  const auto foreign = open_sqlite_ledger(folder / "other", creating(), desk.clock);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, Code::invalid_input);
  std::filesystem::create_symlink(folder / "other", folder / "link");
  EXPECT_FALSE(open_sqlite_ledger(folder / "link", creating(), desk.clock));
}

TEST(SqliteLedger, IsRefusedOnFileSystemsThatMachinesShare) {
  const TempFolder folder;
  const Desk desk;
  for (const char* type : {"nfs", "lustre", "gpfs", "beegfs", "ceph", "cifs", "fuse", "fuse.sshfs", "fuse.juicefs"}) {
    SqliteOptions options = creating();
    options.file_system = [&](const std::string&) { return type; };
    const auto ledger = open_sqlite_ledger(folder / "new/l", options, desk.clock);
    ASSERT_FALSE(ledger) << type;
    EXPECT_EQ(ledger.error().code, Code::configuration);
    EXPECT_NE(ledger.error().message.find(type), std::string::npos);
    EXPECT_NE(ledger.error().next.find("local disk"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_FALSE(is_shared_file_system("local"));
  EXPECT_FALSE(is_shared_file_system("fuse.fuse-overlayfs"));
  const RootedFiles files;
  EXPECT_FALSE(is_shared_file_system(file_system_type(files)(folder.path())));
}

TEST(SqliteLedger, JournalCanNotBeRewritten) {
  const TempFolder folder;
  const Desk desk;
  auto ledger = open_sqlite_ledger(folder / "l", creating(), desk.clock);
  ASSERT_TRUE(ledger && (*ledger)->reserve(request(desk, "r1")));
  auto db = Sqlite::open(folder / "l", Sqlite::Mode::write, 1000);
  ASSERT_TRUE(db);
  EXPECT_FALSE(db->run("UPDATE journal SET amount = 0"));
  EXPECT_FALSE(db->run("DELETE FROM journal"));
  EXPECT_FALSE(db->run("UPDATE account SET settled = 200000"));
  EXPECT_FALSE(db->run("UPDATE account SET held = -1"));
  EXPECT_EQ((*ledger)->check_journal()->broken, "");
  // Whoever owns the file can take the triggers off; the chain still shows it.
  ASSERT_TRUE(db->script("DROP TRIGGER journal_is_not_changed; UPDATE journal SET amount = 0 WHERE sequence = 2"));
  EXPECT_NE((*ledger)->check_journal()->broken.find("entry 2"), std::string::npos);
}

TEST(SqliteLedger, WithClaimsThatWereTamperedWithIsSaidToBeDamaged) {
  const TempFolder folder;
  const Desk desk;
  auto ledger = open_sqlite_ledger(folder / "l", creating(), desk.clock);
  ASSERT_TRUE(ledger && (*ledger)->reserve(request(desk, "r1")));
  auto db = Sqlite::open(folder / "l", Sqlite::Mode::write, 1000);
  ASSERT_TRUE(db);
  for (const char* claims : {"", "[]", "{}", "{\"jti\":1}", "{\"gpus\":0,\"gpus\":0}"}) {
    ASSERT_TRUE(db->run("UPDATE account SET claims = ?", {std::string(claims)}));
    const auto balances = (*ledger)->balances();
    ASSERT_FALSE(balances) << claims;
    EXPECT_EQ(balances.error().code, Code::invalid_input);
    EXPECT_FALSE((*ledger)->reserve(request(desk, "r2")));
  }
}

TEST(SqliteLedger, WaitsForABusyFileAndThenSaysSo) {
  const TempFolder folder;
  const Desk desk;
  SqliteOptions options = creating();
  options.busy_milliseconds = 50;
  auto ledger = open_sqlite_ledger(folder / "l", options, desk.clock);
  ASSERT_TRUE(ledger);
  auto other = Sqlite::open(folder / "l", Sqlite::Mode::write, 1000);
  ASSERT_TRUE(other && other->run("BEGIN IMMEDIATE"));
  const auto busy = (*ledger)->reserve(request(desk, "r1"));
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Code::try_again);
  ASSERT_TRUE(other->run("ROLLBACK"));
  EXPECT_TRUE((*ledger)->reserve(request(desk, "r1")));
}

/// A mount of its own, or nothing where this process may not mount.
class Mount {
 public:
  Mount(const std::string& at, const char* options, unsigned long flags = 0) : at_(at) {
    std::filesystem::create_directories(at);
    mounted_ = ::mount("tmpfs", at.c_str(), "tmpfs", flags, options) == 0;
  }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  explicit operator bool() const { return mounted_; }
  bool read_only() const { return ::mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0; }

 private:
  std::string at_;
  bool mounted_ = false;
};

TEST(SqliteLedger, OnAFullDiskRefusesAndLosesNothing) {
  const TempFolder folder;
  const Mount disk(folder / "disk", "size=512k");
  if (!disk) GTEST_SKIP() << "mounting a small file system needs root";
  const Desk desk;
  auto ledger = open_sqlite_ledger(folder / "disk/l", creating(), desk.clock);
  ASSERT_TRUE(ledger) << ledger.error().text();
  ASSERT_TRUE((*ledger)->reserve(request(desk, "r0")));
  {  // the rest of the disk goes to somebody else
    const int fd = ::open((folder / "disk/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (::write(fd, block.data(), block.size()) > 0) {
    }
    ::close(fd);
  }
  Result<Hold> refused = Hold{};
  int admitted = 1;
  for (; refused && admitted < 2000; ++admitted) {  // what the log has room for still fits
    refused = (*ledger)->reserve(request(desk, "r" + std::to_string(admitted), 0));
  }
  admitted -= 1;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::try_again);
  EXPECT_NE(refused.error().message.find("disk is full"), std::string::npos) << refused.error().text();
  EXPECT_FALSE(refused.error().next.empty());
  const auto fresh = open_sqlite_ledger(folder / "disk/second", creating(), desk.clock);
  ASSERT_FALSE(fresh);
  EXPECT_EQ(fresh.error().code, Code::try_again) << fresh.error().text();
  std::filesystem::remove(folder / "disk/filler");
  EXPECT_EQ((*ledger)->runs()->size(), static_cast<std::size_t>(admitted));
  EXPECT_EQ((*ledger)->check_journal()->broken, "");
  EXPECT_TRUE((*ledger)->reserve(request(desk, "after")));
  EXPECT_TRUE(open_sqlite_ledger(folder / "disk/second", creating(), desk.clock));
}

TEST(SqliteLedger, OnAReadOnlyFileSystemRefuses) {
  const TempFolder folder;
  const Mount disk(folder / "disk", "size=2m");
  if (!disk) GTEST_SKIP() << "mounting a file system needs root";
  const Desk desk;
  ASSERT_TRUE(open_sqlite_ledger(folder / "disk/l", creating(), desk.clock));
  ASSERT_TRUE(disk.read_only());
  const auto ledger = open_sqlite_ledger(folder / "disk/l", creating(), desk.clock);
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().code, Code::unavailable) << ledger.error().text();
  const auto fresh = open_sqlite_ledger(folder / "disk/new/l", creating(), desk.clock);
  ASSERT_FALSE(fresh);
  EXPECT_EQ(fresh.error().code, Code::unavailable) << fresh.error().text();
  EXPECT_FALSE(fresh.error().next.empty());
}

TEST(SqliteLedger, InAFolderThatMayNotBeWrittenRefuses) {
  const TempFolder folder;
  const Desk desk;
  std::filesystem::create_directories(folder / "closed");
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0) {
    for (const std::string& path : {folder.path(), folder / "closed"}) ASSERT_EQ(::chown(path.c_str(), kNobody, 0), 0);
  }
  ASSERT_EQ(::chmod((folder / "closed").c_str(), 0500), 0);
  const pid_t child = ::fork();  // root may write everywhere, so somebody else tries
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(1);
    const auto ledger = open_sqlite_ledger(folder / "closed/l", creating(), desk.clock);
    ::_exit(ledger ? 2 : ledger.error().next.empty() ? 3 : exit_status(ledger.error().code));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), exit_status(Code::unavailable));
}

TEST(OpenLedger, FindsTheStateFolder) {
  Office office;
  EXPECT_EQ(ledger_path("sqlite:/x/y.sqlite", office.outside).value(), "/x/y.sqlite");
  EXPECT_EQ(ledger_path("sqlite:///x/y.sqlite", office.outside).value(), "/x/y.sqlite");
  EXPECT_EQ(ledger_path("postgresql://db", office.outside).error().code, Code::wrong_usage);
  EXPECT_EQ(ledger_path("sqlite:", office.outside).error().code, Code::wrong_usage);
  if (office.files.exists(kSiteLedger)) GTEST_SKIP() << "this machine has a site ledger";
  EXPECT_EQ(ledger_path("", office.outside).value(), office.folder / "state/topolaunch/ledger.sqlite");
  office.environment.set("TOPOLAUNCH_STATE_DIR", "/s");
  EXPECT_EQ(ledger_path("", office.outside).value(), "/s/ledger.sqlite");
  office.environment = Environment{};
  EXPECT_EQ(ledger_path("", office.outside).error().code, Code::configuration);
}

}  // namespace
}  // namespace topolaunch::quota
