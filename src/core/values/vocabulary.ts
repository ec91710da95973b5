// The words that may stay in an error template: common English of error messages and of APIs. A word that is not
// here is treated as personal data. A word may be added only if it cannot identify a person or a thing.

/** Lower case; regular forms in -s, -es, -d, -ed, -ing, -ly are understood and need no entry. */
const WORDS = `
a abort about above absent absolute accept acceptable accepted access accessed accessible accident according
account accuracy accurate acknowledge acquire across action activate active activity actor actual adapter
add added addition additional address adjust admin administrator advance advise affect after again against
agent aggregate ahead ai ajax ajv alert alias align alive all allocate allow allowed almost alone along
alpha already also alter alternate alternative although always am ambiguous among amount an analysis analyze
and annotation announce anonymous answer any anymore anyone anything anyway anywhere apart api app appear
append application applied apply approval approve approximate arbitrary archive are area aren arg args
argument arithmetic around arr arrange array arrive asof artifact as asc ascii ask aspect assert assertion
assertionerror assign assignment associate assume assumption async asynchronous at atomic attach attachment
attempt attribute attributeerror audience audio audit auth authenticate authentication author authority
authorization authorize auto automatic availability available average avg avoid await aware away aws axios
azure back backend background backup bad balance ban band bandwidth bar base base64 basic batch be bearer
because become been before began begin behave behavior behind being belong below beneath beside besides best
better between beyond big bigger bigint bill billing binary bind bit bite blank blob block blocker board
body book bool boolean boot bot both bottom bound boundary box branch break bridge brief bring broadcast
broken broker browse browser bucket budget buffer bug build buster builder built bulk bun bundle busy but button by
bypass byte bytes cache cachebuster calculate calculation calendar call callback caller campaign can cancel cancellation
candidate cannot capabilities capability capable capacity capture card care careful cart case cast catalog
catalogue catch categories category caught cause caution cd cell center central certain certificate cfg
chain challenge chance change channel chapter char character charge charset chart chat check checker
checkout checksum child children choice choose chose chosen chunk ci circular cities city claim class
classify clean cleanup clear cli click clickhouse client clock clone close closed cloud cluster code codec
coerce collapse collect collection collide collision color column combination combine come comma command
comment commentary commit committed common communicate communication community companies company compare comparison
compatibility compatible compile compiler complete completion complex component compose compress compression
compute computer concat concurrency concurrent condition conditional conduct conf config configuration
configure confirm confirmation conflict confuse connect connection connectionerror connector consecutive
consent consider consist consistency consistent console constant constraint construct constructor consume
consumer contact contain container content context continuation continue contract contrast control
controlled controller conversation conversion convert cookie coordinate copied copies copy core corner
correct correlation correction correlate corrupt corruption cors cost could couldn count counter countries country
couple course cover coverage cpu cr crash crawl create creation creator credential credit criteria critical
crlf cross csrf css csv ctx currencies currency current cursor custom customer cut cycle cyclic d daemon
daily damage dashboard data database dataset date datetime day dead deadline deadlock deal debit debug
decide decimal decision declaration declare decline decode decompress decrease decrypt deep default defer
deferred define definition degree delay delegate delete deletion delimiter deliver delivery delta demand
denial denied deno deny depend dependency dependent deploy deployment deprecate depth dequeue desc describe
description descriptor deserialize design desire dest destination destroy detail detect detection determine
develop developer development device diagnostic diagram dialog dict dictionary did didn diff differ
difference different difficult digest digit dimension dir direct direction directories directory dirty
disable disabled disagree disallow disappear discard disconnect discount discover discovery disk dispatch
display dispose distance distinct distribute distribution divide division dns do doc docker document
documentation does doesn doing dollar dom domain don done dot double doubt down download draft drain draw
drive driver drop dropped dry dst due dump duplicate duplication duration during dynamic each early easy
echo edge edit editor effect effective efficient eg either elapse elapsed elem element eligible else
elsewhere email embed embedding emit employee emptied empty emulate enable encode encoding encounter encrypt
encryption end endpoint enforce engine enlarge enough enqueue ensure enter enterprise entire entities entity
entries entry enum enumerate env environment eof eol equal equality equalled equivalent erase err errno
error escape especially estimate etc evaluate evaluation even event eventual ever every everything evict
exact examine example exceed exceedingly excel except exception excess exchange exclude exclusive executable
execute execution executor exhaust exist existence existing exit expand expansion expect expectation
expected expense experience experiment experimental expiration expire expired expiry explain explanation explicit
explode export expose express expression extend extension extent extern external extra extract extraction
extreme face facility fact factor factory fail failed failover failure fair fake fallback false familiar far
fast fatal fault favor feature feed feedback feel fetch fetched few field figure file filename
filenotfounderror fill filter final finance find finger finish finite fire first fit five fix fixture flag
flat flight float flow flush fn focus fold folder follow font footer for forbid forbidden force foreign
forever forget forgot fork form format formatter formula fortunate forward found four fraction fragment
frame framework free frequency frequent fresh friend from front ftp full func function functional further
future gain gap garbage gate gateway gather gb gcp general generate generation generator generic get getting
gib gid gif git github gitlab give given glob global gmt go goal goes golang gone good got gpt gpu grace
graceful grade grant granted graph graphql great greater green grid ground group grow growth guid grpc guarantee
guard guess guest guide had hadn half halt handle handled handler handshake hang happen hard hardware has
hash hasn have haven having he head header heading health healthy heap heartbeat heavy height held hello
help helper her here hidden hide hierarchy high higher highest him hint his histories history hit hmac hold
hole home hook horizontal host hostname hotel hour how however hr hrs html http https huge human hybrid i
icon id idempotent identical identifier identify identities identity idempotency idle idx ie if ignore illegal image
imap immediate immutable impact implement implementation implicit import important importerror impossible
improper improve in inaccessible inactive include including inclusive incoming incompatible incomplete
inconsistent incorrect increase increment indent index indexerror indexes indicate indices indirect
individual inf infer infinite infinity info inform information inherit init initial initialise
initialization initialize initiate inline inner input insecure insert insertion inside inspect instal
install installation instance instant instead instruct instruction insufficient int integer integral
integrate integration integrity intend intent interact interaction interactive intercept interest interface
interfere intermediate internal internet interpret interpreter interrupt interval into introduce invalid
invalidate inventory invert invest invite invocation invoice invoke involve io ioerror ip ipv4 ipv6
irregular is isn iso isolate isolation issue issuer it item iterable iterate iteration iterator its itself
java javascript jira job join journal jpeg jpg json jsonrpc jsonschema jump just justification jwt kafka kb keep kept
kernel key keyboard keyboardinterrupt keyerror keys keyword kib kill kind know knowledge known kubernetes
kwargs label labor lack lag land lane language large larger largest last late latency later latest launch
layer layout lazy lead leader leaf leak learn lease least leave left legacy legal len length less letter
level lf libraries library license lifecycle lifetime light like likely limit limitation line linear link
linux list listen listener literal little live ll llm load loader local locale localhost locate location
lock log logger logic login logout long longer look lookup lookback loop loose lose loss lost lot low lower lowercase
m machine macos magic mail mailbox main maintain maintenance major make malformed man manage management
manager mandatory manifest manual many map mapping margin mariadb mark marker market mask master match
matched matcher matches material matrix max maximal maximum may maybe mb mcp md5 me mean meaning meant
measure mechanism media medium meet meeting member membership memories memory mention menu merchant merge
message met meta metadata method metric mib middle middleware might migrate migration mime min mind minimal
minimum minor mins minute mirror mismatch misplace miss missing mistake mix ml mobile mock mode model
moderate modern modification modified modifies modify module moment money mongodb monitor month monthly more
most mostly move msg movie ms much multi multipart multiple multiplication multiply must mustn mutable mutate
mutation mutex mutual my mysql name nameerror namespace nan narrow native natural navigate navigation near
nearly necessary need needed negative negotiate neither nest nested network never new newer newest newline
next nice nil no nobody node nodejs nonce noise none nor normal normalise normalize not notation note nothing
notice notification notify notimplementederror notion now npm npx ns null nullable num number numeric oauth
oauth2 obey obj object obligatory observe obsolete obtain obvious occupy occur occurred occurrence odd of
off offer office official offline offset often oidc ok okay old older omit on once one ongoing online only
onto opaque open opener operand operate operating operation operator opposite optimize option optional or
order ordinary organisation organization orient origin original orphan os oserror other others otherwise
ought our out outcome outdated outer outgoing output outside over overall overflow overlap overload override
overview overwrite own owner ownership pace pack package packet pad padding page pageno pagination pair panel panic
paper paragraph parallel param parameter parent parse parser part partial participant partition partner
party pass passed password past paste patch path pattern pause pay payload payment pdf peer pending people
per percent percentage perform performance perhaps period periodic permanent permission permissionerror
permit permitted persist persistence persistent person personal phase phone photo phrase physical pick
picture pid piece pin ping pipe pipeline pixel place placeholder plain plan planned platform play player
please plugin plus png point pointer policies policy poll pool pop port portion position positive possible
post postgres postgresql postpone potential power ppid practice precede precise precision precondition
predicate predict prefer preference prefix premature prepare present preserve press prevent preview previous
price primary primitive principal print prior priorities priority private privilege problem procedure
proceed process processor produce producer product production profile program progress prohibit project
prompt proof propagate proper properties property proportion propose protect protected protection protobuf
protocol prototype prove provide provider provision proxy public publish publisher pull purchase purge
purpose push put px pydantic python quality quantity queried queries query question queue quick quiet quit
quite quota quote race rag raise ram ran random range rank rare rate rather ratio rationale raw re reach reachable
react read readable reader readonly ready real really reason reasonable reboot rebuild recall receipt
receive receiver recent recipient recognize recommend recommendation reconnect record recover recovery rect
recursion recursive redirect redis redo reduce redundant refer reference referred refine reflect refresh
refund refuse regex regexp region register registration registry regular reindex reject rejection relate
relation relationship relative release relevant reliable reload rely remain remainder remaining remember
reminder remote removal remove rename render renew repair repeat replace replacement replay replica
replicate reply repo report repositories repository represent representation req request require required
requirement res reschedule reserve reserved reset reside resize resolution resolve resolver resource resp
respect respond response responsible rest restart restaurant restore restrict restricted restriction result
resume retain retention retract retried retries retrieve retry retryable return reuse reverse revert review revision
revoke reward rewrite rfc rich right ring risk role rollback room root rotate rotation round route router
routine row rpc rule run runner running runtime runtimeerror rust s s3 safe safety said sale same salt saml
sample sandbox satisfy save saw say scalar scale scan schedule scheduler schema scheme scope score scrape
screen screenshot script scroll sdk search sec second secret secs section secure security see seek seem seen
segment select selection selector self sell semantic send sender sensitive sent sentence separate separator
sequence sequential serial serialize serializer series serious serve server service session set setting
settle setup several severe severity sha1 sha256 shadow shall shape shard share she sheet shell shift ship
shipment shipping shop short shorter should shouldn show shown shut shutdown shutting side sign signal
signature silent similar similarity simple simulate simultaneous since single site situation size skip
skipped slack sleep slice slot slow small smaller smallest smooth smtp snapshot so socket soft software sold
solution solve some something somewhere soon sort sound source space span spawn spec special specific
specification specified specify speed spend split spread sql sqlite sqlite3 sqlstate square src sse ssh ssl stable
stack staff stage stale stall stalled stamp stand standard star start started startup state statement static
station statistic status stay stderr stdin stdio stdout steady step stick still stock stop stopiteration
stopped storage store story str stream street strict strike string strip strong structural structure stub
stuck student study style subject submission submit submitted subprocess subscribe subscriber subscription
subset substitute subsystem subtract succeed success successful successor such sudden suffice sufficient
suffix suggest suggestion suitable sum summary supervise supply support supported suppose suppress sure
surface surpass suspend suspicious svg swap switch symbol symlink sync synchronize synchronous syntax
synthetic system t table tag tail take taken talk target task tb tcp team tell temp template temporarily
temporary tenant term terminal terminate termination test text than thank that the their them theme then
there therefore these they thing think third this those though thought thread three threshold throttle
throttled through throughout throw thrown thus ticket tier time timed timeout timeouterror timer timestamp
timezone tiny title tls tmp to today todo together token told tolerance toml tomorrow too took tool toolcall toolbox
top topic total touch toward trace traceback traceparent track trade traffic trail trailing train transaction transcript
transfer transform transformation transient transit transition translate translation transmission transmit
transport trap travel traverse treat tree trend trial tried tries trigger triggered trim trip trouble true
truncate truncated truncating trust truth try ts trying tty tuple turn tweet twice twin two type typeerror
typescript typical udp ui uid ulid ultimate unable unacceptable unaffected unambiguous unauthenticated
unauthorized unavailable unbalanced unbound uncaught unclosed unchanged undefined under underflow underlying
understand understood undo unequal unexpected unfinished unfortunately unhandled unhashable unhealthy
unicode unimplemented uninitialized union unique unit universal unix unknown unless unlikely unlink unlock
unmatched unmodified unnecessary unparsable unprocessable unreachable unreadable unrecognised unrecognized
unrecoverable unregister unregistered unrelated unreliable unresolved unresponsive unsafe unsatisfied unset
unsigned unspecified unstable unsubscribe unsuccessful unsupported unterminated until untrusted unusable
unused unusual up update upgrade upload upon upper uppercase upsert upstream uri url us usage use used
useful user username using usually utc utf utf8 utility uuid ux valid validate validation validator validity
value valueerror var variable variant variation various vars vary ve vector vendor verb verbose verification
verified verify version vertical very via victim video view violate violation virtual visibility visible
visit voice void volume vote vs wait waiting wake wallet want warn warning was wasn watch watcher way we
weak weather web webhook website websocket week weekly weight well went were weren what whatever when
whenever where whether which while whitespace who whole whom whose why wide widget width wildcard will win
window windows wip wire wish with within without wizard won word work worker workflow workspace world worse
worst worth would wouldn wrap wrapper writable write writer writing written wrong wrote xml yaml year yes
yesterday yet yield yml you your zero zerodivisionerror zip zod zone
`;

/** POSIX and Node names that tell what went wrong and nothing of whom. */
const SYSTEM_CODES = `
E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EAI_AGAIN EAI_FAIL EBADF EBADMSG EBUSY ECANCELED ECHILD ECONNABORTED
ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EILSEQ EINPROGRESS
EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS
ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOMEM ENOSPC ENOSYS ENOTCONN ENOTDIR ENOTEMPTY ENOTFOUND ENOTSOCK ENOTSUP ENXIO
EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT ERANGE EROFS ESHUTDOWN ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EXDEV
SIGABRT SIGHUP SIGINT SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGTERM ERR
`;

const KNOWN_WORDS: ReadonlySet<string> = new Set(
  `${WORDS} ${SYSTEM_CODES.toLowerCase()}`.split(/\s+/).filter((word) => word !== ''),
);

/** Endings to take off, and what to put back: `queries` is `query`, `cached` is `cache`, `stopping` is `stop`. */
const ENDINGS: readonly (readonly [ending: RegExp, back: string])[] = [
  [/(?<=..)s$/, ''],
  [/(?<=...)es$/, ''],
  [/(?<=..)ies$/, 'y'],
  [/(?<=...)d$/, ''],
  [/(?<=...)ed$/, ''],
  [/(?<=..)ied$/, 'y'],
  [/(?<=...)ing$/, ''],
  [/(?<=...)ing$/, 'e'],
  [/(?<=...)ly$/, ''],
  [/(?<=..)([b-df-hj-np-tv-z])\1(?:ed|ing)$/, '$1'],
];

/** Whether a word, in any case, is common error-message English; `also` holds further allowed words in lower case. */
export function isKnownWord(word: string, also?: ReadonlySet<string>): boolean {
  const lower = word.toLowerCase();
  if (KNOWN_WORDS.has(lower) || also?.has(lower)) return true;
  return ENDINGS.some(([ending, back]) => ending.test(lower) && KNOWN_WORDS.has(lower.replace(ending, back)));
}

const NAME_PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** The words of a name in any of the usual spellings: `noteIds`, `note_ids`, `NOTE-IDS`, `HTTPError404`. */
export function splitName(name: string): string[] {
  return name.match(NAME_PARTS) ?? [];
}

/**
 * Whether a name in any spelling is made of known words (and numbers of at most three digits) only.
 * @param name ASCII letters, digits, `_`, `-`, `.`, `$`; anything else is never known.
 */
export function isKnownName(name: string, also?: ReadonlySet<string>): boolean {
  if (!/^[A-Za-z0-9_.$-]+$/.test(name)) return false;
  if (isKnownWord(name, also)) return true;
  const words = splitName(name);
  const spelled = words.filter((word) => !/^\d{1,3}$/.test(word));
  // Two groups of digits or a lone letter are how ids look (`a1b2`), and some lone letters are words.
  if (words.length - spelled.length > 1 || spelled.length === 0) return false;
  return spelled.every((word) => word.length > 1 && isKnownWord(word, also));
}
