#include "tenon/runtime/control/shared_network.h"

#include "tenon/runtime/control/bytes.h"
#include "tenon/runtime/control/node.h"
#include "tenon/support/secret.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

constexpr size_t kFiles = 3; // of a ring, its reader's event and its writer's
constexpr size_t kMaxHello = 256;
constexpr char kWelcome = 'y';
// How many frames of one process are read before others have their turn.
constexpr int kFramesInTurn = 16;

Status cannotStart() {
  Status why = systemError("cannot listen for processes of this machine that share memory");
  return {why.code(), why.message() + " (TENON_SHARED_MEMORY=0 does without)"};
}

// A name that no file has.
socklen_t setAddress(sockaddr_un &address, const std::string &name) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

FileDescriptor makeEvent() { return FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
void signal(const FileDescriptor &event) {
  uint64_t one = 1;
  (void)!write(event.number(), &one, sizeof one); // it is signalled already where it can take no more
}
void reset(const FileDescriptor &event) {
  uint64_t count = 0;
  (void)!read(event.number(), &count, sizeof count);
}

// A message with files. They go where the bytes go.
struct Letter {
  explicit Letter(std::span<char> bytes) : part{bytes.data(), bytes.size()} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  iovec part;
  msghdr message = {};
  alignas(cmsghdr) char control[CMSG_SPACE(kFiles * sizeof(int))] = {};
};

bool sendLetter(int socket, std::string &bytes, const int (&files)[kFiles]) {
  Letter letter(bytes);
  cmsghdr *header = CMSG_FIRSTHDR(&letter.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  return sendmsg(socket, &letter.message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// The files that came along; none where there were not as many as there must be.
std::vector<FileDescriptor> receiveLetter(int socket, std::string &bytes) {
  bytes.resize(kMaxHello);
  Letter letter(bytes);
  ssize_t count = recvmsg(socket, &letter.message, MSG_CMSG_CLOEXEC);
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  std::vector<FileDescriptor> files;
  for (cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&letter.message) : nullptr; header;
       header = CMSG_NXTHDR(&letter.message, header))
    for (size_t at = 0; header->cmsg_type == SCM_RIGHTS && CMSG_LEN(at + sizeof(int)) <= header->cmsg_len;
         at += sizeof(int)) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + at, sizeof file);
      files.emplace_back(file);
    }
  return files;
}

bool isOfThisUser(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid();
}

} // namespace

SharedNetwork::SharedNetwork(std::unique_ptr<Network> other, FileDescriptor listener, std::string name)
    : other_(std::move(other)), listener_(std::move(listener)), name_(std::move(name)) {}

StatusOr<std::unique_ptr<SharedNetwork>> SharedNetwork::create(std::unique_ptr<Network> &other) {
  FileDescriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  std::string name = "tenon-" + randomToken();
  sockaddr_un address;
  socklen_t size = setAddress(address, name);
  if (!listener || bind(listener.number(), reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      listen(listener.number(), SOMAXCONN) != 0)
    return cannotStart();
  FileDescriptor poll(epoll_create1(EPOLL_CLOEXEC)), wakeEvent = makeEvent();
  if (!poll || !wakeEvent)
    return cannotStart();
  std::unique_ptr<SharedNetwork> network(new SharedNetwork(std::move(other), std::move(listener), name));
  network->poll_ = std::move(poll);
  network->wakeEvent_ = std::move(wakeEvent);
  network->watch(network->listener_);
  network->watch(network->wakeEvent_);
  return network;
}

SharedNetwork::~SharedNetwork() { shutDown({}, /*hasFailed=*/true); }

void SharedNetwork::watch(const FileDescriptor &file) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = file.number();
  epoll_ctl(poll_.number(), EPOLL_CTL_ADD, file.number(), &event);
}

void SharedNetwork::open(Peer self, std::vector<PeerAddress> addresses, Events &events) {
  self_ = self;
  events_ = &events;
  other_->open(self, std::move(addresses), events);
  thread_ = std::thread([this] { run(); });
}

void SharedNetwork::wake(Peer peer) {
  {
    std::lock_guard lock(mutex_);
    if (neighbours_.contains(peer) && !elsewhere_.contains(peer)) {
      awake_.insert(peer);
      signal(wakeEvent_);
      return;
    }
  }
  other_->wake(peer);
}

void SharedNetwork::cut(Peer peer) {
  {
    std::lock_guard lock(mutex_);
    if (!neighbours_.contains(peer) || elsewhere_.contains(peer)) {
      other_->cut(peer);
      return;
    }
  }
  events_->disconnected(peer, /*isControl=*/false, {StatusCode::kCancelled, "a transfer was given up"});
}

size_t SharedNetwork::connectedCount() {
  std::lock_guard lock(mutex_);
  return openCount_;
}

//===- The thread ------------------------------------------------------------------------------------------------===//

void SharedNetwork::run() {
  // Whether anything has happened.
  auto pass = [this] {
    std::set<Peer> awake;
    {
      std::lock_guard lock(mutex_);
      awake.swap(awake_);
    }
    for (Peer peer : awake)
      if (auto [out, isNew] = out_.try_emplace(peer); isNew && !connect(peer, out->second).ok())
        giveElsewhere(peer, out->second);
    bool hasMoved = false;
    for (auto &[peer, out] : out_)
      if (out.waiting || awake.contains(peer))
        hasMoved |= send(peer, out);
    std::vector<int> sockets;
    for (const auto &[socket, in] : in_)
      sockets.push_back(socket);
    for (int socket : sockets)
      hasMoved |= receive(socket);
    return hasMoved;
  };
  while (true) {
    bool hasMoved = pass();
    if (!hasMoved) {
      for (auto &[socket, in] : in_)
        if (in.ring)
          in.ring->readerSleeps();
      for (auto &[peer, out] : out_)
        if (out.waiting)
          out.ring->writerSleeps();
      hasMoved = pass(); // what has come before they knew
    }
    int longest = -1; // milliseconds
    {
      std::lock_guard lock(mutex_);
      if (isEnding_) // its time is limited
        longest = 20;
      // What is for a process that has not answered yet is taken up when it has.
      bool isWaiting = std::any_of(out_.begin(), out_.end(), [](const auto &out) {
        return out.second.waiting || out.second.state == Out::State::kConnecting;
      });
      if (isEnding_ && awake_.empty() && (!isWaiting || std::chrono::steady_clock::now() >= end_))
        return;
      hasMoved |= !awake_.empty();
    }
    epoll_event events[16];
    int count = epoll_wait(poll_.number(), events, 16, hasMoved ? 0 : longest);
    for (int i = 0; i < count; ++i)
      handle(events[i].data.fd);
  }
}

void SharedNetwork::handle(int file) {
  if (file == wakeEvent_.number())
    return reset(wakeEvent_);
  if (file == listener_.number())
    return accept();
  for (auto &[peer, out] : out_) {
    if (file == out.writerEvent.number())
      return reset(out.writerEvent);
    if (file == out.socket.number())
      return answered(peer, out);
  }
  for (auto &[socket, in] : in_) {
    if (file == in.readerEvent.number())
      return reset(in.readerEvent);
    if (file != socket)
      continue;
    Status status = in.peer ? Status(StatusCode::kUnavailable, "") : admit(in);
    if (status.ok())
      return;
    // It has ended.
    int number = socket;
    readRest(number);
    if (in_.contains(number))
      leave(number, {});
    return;
  }
}

//===- To others -------------------------------------------------------------------------------------------------===//

Status SharedNetwork::connect(Peer peer, Out &out) {
  FileDescriptor memory;
  TENON_ASSIGN_OR_RETURN(out.ring, Ring::create(memory));
  out.readerEvent = makeEvent();
  out.writerEvent = makeEvent();
  out.socket = FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address;
  socklen_t size = setAddress(address, neighbours_.at(peer).socket);
  ByteWriter writer;
  writer.integer(static_cast<uint64_t>(self_));
  writer.text(neighbours_.at(self_).token);
  std::string hello = writer.take();
  if (!out.readerEvent || !out.writerEvent || !out.socket ||
      ::connect(out.socket.number(), reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      !sendLetter(out.socket.number(), hello, {memory.number(), out.readerEvent.number(), out.writerEvent.number()}))
    return systemError("cannot reach a process of this machine");
  watch(out.socket);
  watch(out.writerEvent);
  return {};
}

void SharedNetwork::giveElsewhere(Peer peer, Out &out) {
  out = Out();
  out.state = Out::State::kElsewhere;
  {
    std::lock_guard lock(mutex_);
    elsewhere_.insert(peer);
  }
  other_->wake(peer);
}

void SharedNetwork::answered(Peer peer, Out &out) {
  char answer = 0;
  ssize_t count = recv(out.socket.number(), &answer, 1, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (out.state == Out::State::kConnecting && count == 1 && answer == kWelcome) {
    out.state = Out::State::kOpen;
    {
      std::lock_guard lock(mutex_);
      ++openCount_;
    }
    send(peer, out);
  } else if (out.state == Out::State::kConnecting) {
    giveElsewhere(peer, out);
  } else {
    out.socket = FileDescriptor(); // the other has ended, of which the control messages tell
    auto in = std::find_if(in_.begin(), in_.end(), [&](const auto &each) { return each.second.peer == peer; });
    if (in != in_.end())
      readRest(in->first);
    events_->disconnected(peer, /*isControl=*/false, {});
  }
}

bool SharedNetwork::send(Peer peer, Out &out) {
  bool hasMoved = false;
  while (out.state == Out::State::kOpen) {
    if (!out.waiting)
      out.waiting = events_->nextFrame(peer);
    if (!out.waiting)
      break;
    std::vector<std::span<const std::byte>> pieces = {out.waiting->header, std::as_bytes(std::span(out.waiting->text))};
    pieces.insert(pieces.end(), out.waiting->chunk.begin(), out.waiting->chunk.end());
    if (!out.ring->write(pieces))
      break;
    out.waiting.reset(); // its memory is the sender's again
    if (out.ring->mustWakeReader())
      signal(out.readerEvent);
    hasMoved = true;
  }
  return hasMoved;
}

//===- From others -----------------------------------------------------------------------------------------------===//

void SharedNetwork::accept() {
  FileDescriptor socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket || !isOfThisUser(socket.number()))
    return;
  watch(socket);
  int number = socket.number();
  in_[number].socket = std::move(socket);
}

Status SharedNetwork::admit(In &in) {
  std::string hello;
  std::vector<FileDescriptor> files = receiveLetter(in.socket.number(), hello);
  ByteReader reader(hello);
  auto peer = static_cast<Peer>(reader.integer(INT32_MAX));
  std::string token = reader.text(kMaxHello);
  auto known = neighbours_.find(peer);
  bool isTwice = std::any_of(in_.begin(), in_.end(), [&](const auto &each) { return each.second.peer == peer; });
  auto isEvent = [](const FileDescriptor &file) { return (fcntl(file.number(), F_GETFL) & O_NONBLOCK) != 0; };
  if (!reader.isDone() || known == neighbours_.end() || peer == self_ || isTwice ||
      !isSecret(token, known->second.token) || files.size() != kFiles || !isEvent(files[1]) || !isEvent(files[2]))
    return {StatusCode::kUnauthenticated, "the connection is not from one of the job's processes"};
  TENON_ASSIGN_OR_RETURN(in.ring, Ring::open(files[0]));
  if (::send(in.socket.number(), &kWelcome, 1, MSG_NOSIGNAL) != 1)
    return systemError("a process of this machine cannot be answered");
  in.readerEvent = std::move(files[1]);
  in.writerEvent = std::move(files[2]);
  in.peer = peer;
  watch(in.readerEvent);
  return {};
}

bool SharedNetwork::receive(int socket) {
  In &in = in_.at(socket);
  bool hasMoved = false;
  for (int i = 0; i < kFramesInTurn && in.ring; ++i) {
    StatusOr<std::optional<Ring::Frame>> frame = in.ring->next(kMaxFrameBytes);
    if (frame.ok() && !*frame)
      break;
    // What is no frame is none to who receives it, either.
    Status status = events_->received(*in.peer, frame.ok() ? Pieces((*frame)->pieces) : Pieces());
    if (!status.ok()) {
      leave(socket, status);
      return true;
    }
    in.ring->drop(**frame);
    if (in.ring->mustWakeWriter())
      signal(in.writerEvent);
    hasMoved = true;
  }
  return hasMoved;
}

// What a process that has ended has written before.
void SharedNetwork::readRest(int socket) {
  while (in_.contains(socket) && receive(socket)) {
  }
}

void SharedNetwork::leave(int socket, const Status &why) {
  std::optional<Peer> peer = in_.at(socket).peer;
  in_.erase(socket); // its files are watched no more
  if (peer)
    events_->disconnected(*peer, /*isControl=*/false, why);
}

void SharedNetwork::shutDown(std::chrono::milliseconds grace, bool hasFailed) {
  if (thread_.joinable()) {
    {
      std::lock_guard lock(mutex_);
      isEnding_ = true;
      end_ = std::chrono::steady_clock::now() + grace;
    }
    signal(wakeEvent_);
    thread_.join();
  }
  other_->shutDown(grace, hasFailed);
}

} // namespace tenon::runtime
