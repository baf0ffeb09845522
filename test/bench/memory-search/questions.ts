/** How a question is put: in the words of the documentation, by a name in code, misspelled, in other words. */
export const KINDS = ['plain', 'code', 'typo', 'paraphrase'] as const
export type Kind = (typeof KINDS)[number]

/**
 * A question, and where its answer stands: chunks of the file `path` under a heading that begins with `heading`, or whose
 * text contains it.
 */
export type Question = { kind: Kind; query: string; path: string; heading: string }

type Asked = readonly (readonly [query: string, path: string, heading: string])[]

const PLAIN: Asked = [
  ['how do I kill a child process with execa', 'execa/readme.md', 'Kill a process'],
  ['cancel a spawned process', 'execa/readme.md', 'Cancelling a spawned process'],
  ['redirect the output of a command to a file', 'execa/readme.md', 'Redirect output to a file'],
  ['retry a command when it fails with execa', 'execa/readme.md', 'Retry on error'],
  ['which options does a cron job take in croner', 'croner/README.md', 'Options'],
  ['cron pattern syntax, last day of the month', 'croner/README.md', 'Pattern'],
  ['chokidar events when a file is added or removed', 'chokidar/README.md', 'Events'],
  ['should chokidar use polling on network drives', 'chokidar/README.md', 'Backend'],
  ['auto suggestions in minisearch', 'minisearch/README.md', 'Auto suggestions'],
  ['how to customize tokenization in minisearch', 'minisearch/README.md', 'Tokenization'],
  ['how does undici retry failed requests', 'undici/docs/docs/api/Interceptors.md', 'interceptors.retry'],
  [
    'cache responses with an undici interceptor',
    'undici/docs/docs/api/Interceptors.md',
    'interceptors.cache',
  ],
  [
    'proxy request with authentication',
    'undici/docs/docs/api/ProxyAgent.md',
    'Example - proxy request with authentication',
  ],
  ['set a cookie header in undici', 'undici/docs/docs/api/Cookies.md', 'setCookie'],
  ['log rotation with pino', 'pino/docs/help.md', 'Log rotation'],
  ['show log levels as labels instead of numbers', 'pino/docs/help.md', 'Log levels as labels'],
  ['how to write a pino transport', 'pino/docs/transports.md', 'Writing a Transport'],
  ['path syntax for redaction in pino', 'pino/docs/redaction.md', 'Path Syntax'],
  [
    'respond to a request from a fastify hook',
    'fastify/docs/Reference/Hooks.md',
    'Respond to a request from a hook',
  ],
  [
    'how to remove all content type parsers',
    'fastify/docs/Reference/ContentTypeParser.md',
    'removeAllContentTypeParsers',
  ],
  [
    'testing a fastify application with HTTP injection',
    'fastify/docs/Guides/Testing.md',
    'Testing with HTTP injection',
  ],
  ['deploying fastify on google cloud run', 'fastify/docs/Guides/Serverless.md', 'Google Cloud Run'],
  ['version constraints for routes in fastify', 'fastify/docs/Reference/Routes.md', 'Version Constraints'],
  ['is there a body size limit in fastify', 'fastify/docs/Reference/Server.md', 'bodyLimit'],
  ['detect broken websocket connections', 'ws/README.md', 'How to detect and close broken connections'],
  ['how to authenticate a websocket client', 'ws/README.md', 'Client authentication'],
  ['what do caret ranges mean in semver', 'semver/README.md', 'Caret Ranges'],
  ['coerce a string to a version', 'semver/README.md', 'Coercion'],
  ['variadic options in commander', 'commander/Readme.md', 'Variadic option'],
  ['required option in commander', 'commander/Readme.md', 'Required option'],
  ['error correction level of a qr code', 'qrcode/README.md', 'Error correction level'],
  ['expire memoized results after some time', 'memoizee/README.md', 'Expire cache after given period'],
  ['delay the response of a mocked request in nock', 'nock/README.md', 'Delay the response'],
  ['extract the set-cookie header with node-fetch', 'node-fetch/README.md', 'Extract Set-Cookie Header'],
  ['known differences between ignore and git', 'ignore/README.md', 'Known differences from'],
  [
    'optional path params in tanstack router',
    '@tanstack/router-core/skills/router-core/path-params/SKILL.md',
    'Optional Params',
  ],
]

const CODE: Asked = [
  ['what does forceKillAfterTimeout do', 'execa/readme.md', 'options.forceKillAfterTimeout'],
  ['stripFinalNewline', 'execa/readme.md', 'stripFinalNewline'],
  ['windowsVerbatimArguments execa', 'execa/readme.md', 'windowsVerbatimArguments'],
  ['default of maxBuffer in execa', 'execa/readme.md', 'maxBuffer'],
  ['preferLocal and localDir', 'execa/readme.md', 'localDir'],
  ['awaitWriteFinish', 'chokidar/README.md', 'Event timing'],
  ['how to use getSetCookies', 'undici/docs/docs/api/Cookies.md', 'getSetCookies'],
  ['mockAgent.disableNetConnect()', 'undici/docs/docs/api/MockAgent.md', 'mockAgent.disableNetConnect'],
  [
    'when is assertNoPendingInterceptors useful',
    'undici/docs/docs/api/MockAgent.md',
    'mockAgent.assertNoPendingInterceptors',
  ],
  ['UND_ERR_HEADERS_TIMEOUT', 'undici/docs/docs/api/Errors.md', 'Class: HeadersTimeoutError'],
  [
    'what is a ResponseContentLengthMismatchError',
    'undici/docs/docs/api/Errors.md',
    'Class: ResponseContentLengthMismatchError',
  ],
  ['websocket.bufferedAmount', 'undici/docs/docs/api/WebSocket.md', 'websocket.bufferedAmount'],
  ['SqliteCacheStore options', 'undici/docs/docs/api/CacheStore.md', 'new SqliteCacheStore'],
  ['pino mixinMergeStrategy', 'pino/docs/api.md', 'mixinMergeStrategy'],
  ['useOnlyCustomLevels', 'pino/docs/api.md', 'useOnlyCustomLevels'],
  ['what is isLevelEnabled for', 'pino/docs/api.md', 'logger.isLevelEnabled'],
  ['logger.setBindings', 'pino/docs/api.md', 'logger.setBindings'],
  ['preSerialization hook', 'fastify/docs/Reference/Hooks.md', 'preSerialization'],
  ['onRequestAbort', 'fastify/docs/Reference/Hooks.md', 'onRequestAbort'],
  ['return503OnClosing', 'fastify/docs/Reference/Server.md', 'return503OnClosing'],
  ['reply.hijack()', 'fastify/docs/Reference/Reply.md', '.hijack()'],
  ['writeEarlyHints callback', 'fastify/docs/Reference/Reply.md', '.writeEarlyHints'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'fastify/docs/Reference/Errors.md', 'FST_ERR_CTP_INVALID_MEDIA_TYPE'],
  ['schemaErrorFormatter', 'fastify/docs/Reference/Validation-and-Serialization.md', 'schemaErrorFormatter'],
  ['compareBuild in semver', 'semver/README.md', 'Comparison'],
  ['throwErrorOnBrokenSymbolicLink', 'fast-glob/README.md', 'throwErrorOnBrokenSymbolicLink'],
  ['caseSensitiveMatch default', 'fast-glob/README.md', 'caseSensitiveMatch'],
  ['broadcastAddressFromCIDR', 'ipaddr.js/README.md', 'ipaddr.IPv4.broadcastAddressFromCIDR'],
  ['toIPv4MappedAddress', 'ipaddr.js/README.md', 'addr.toIPv4MappedAddress'],
  ['addReadStreamLazy', 'yazl/README.md', 'addReadStreamLazy'],
  ['what does validateFileName check', 'yauzl/README.md', 'validateFileName'],
  ['terminateIdleLambdaTime', 'serverless-offline/README.md', 'terminateIdleLambdaTime'],
  ['prettyPrint includeMeta commonPrefix', 'find-my-way/README.md', 'prettyPrint'],
  [
    'retainSearchParams',
    '@tanstack/router-core/skills/router-core/search-params/SKILL.md',
    'retainSearchParams',
  ],
  ['idleMemoryLimit', 'jest-worker/README.md', 'idleMemoryLimit'],
  ['AsyncSeriesWaterfallHook', 'tapable/README.md', 'AsyncSeriesWaterfallHook'],
]

const TYPO: Asked = [
  ['cancel a spawnd proces', 'execa/readme.md', 'Cancelling a spawned process'],
  ['forcKillAfterTimeout', 'execa/readme.md', 'options.forceKillAfterTimeout'],
  ['stripFinalNewLin', 'execa/readme.md', 'stripFinalNewline'],
  ['minisearch auto sugestions', 'minisearch/README.md', 'Auto suggestions'],
  ['minisearch tokenizaton', 'minisearch/README.md', 'Tokenization'],
  ['undici retry interceptr', 'undici/docs/docs/api/Interceptors.md', 'interceptors.retry'],
  ['undici dedupliate interceptor', 'undici/docs/docs/api/Interceptors.md', 'interceptors.deduplicate'],
  [
    'proxy request with authentification',
    'undici/docs/docs/api/ProxyAgent.md',
    'Example - proxy request with authentication',
  ],
  ['disableNetConect', 'undici/docs/docs/api/MockAgent.md', 'mockAgent.disableNetConnect'],
  ['pino log rotaton', 'pino/docs/help.md', 'Log rotation'],
  ['pino redction path syntax', 'pino/docs/redaction.md', 'Path Syntax'],
  ['pino mixinMergStrategy', 'pino/docs/api.md', 'mixinMergeStrategy'],
  ['fastify prototpye poisoning option', 'fastify/docs/Reference/Server.md', 'onProtoPoisoning'],
  ['respond to a requst from a hook', 'fastify/docs/Reference/Hooks.md', 'Respond to a request from a hook'],
  [
    'route prefixng and fastify-plugin',
    'fastify/docs/Reference/Routes.md',
    'Route Prefixing and fastify-plugin',
  ],
  ['fastify keepAliveTimout', 'fastify/docs/Reference/Server.md', 'keepAliveTimeout'],
  ['websocket client authentcation ws', 'ws/README.md', 'Client authentication'],
  ['semver prerelase tags', 'semver/README.md', 'Prerelease Tags'],
  ['semver hyphn ranges', 'semver/README.md', 'Hyphen Ranges'],
  ['commander variadc option', 'commander/Readme.md', 'Variadic option'],
  ['qr code eror correction level', 'qrcode/README.md', 'Error correction level'],
  ['qrcode knaji mode', 'qrcode/README.md', 'Kanji mode'],
  ['memoizee limiting cahce size', 'memoizee/README.md', 'Limiting cache size'],
  ['nock scope filterng', 'nock/README.md', 'Scope filtering'],
  ['fast-glob braceExpanson', 'fast-glob/README.md', 'braceExpansion'],
  ['picomatch posix brakets', 'picomatch/README.md', 'POSIX brackets'],
  ['debug enviroment variables', 'debug/README.md', 'Environment Variables'],
  [
    'tanstack router route maskng',
    '@tanstack/router-core/skills/router-core/not-found-and-errors/SKILL.md',
    'Route Masking',
  ],
  ['jest worker schedulng policy', 'jest-worker/README.md', 'workerSchedulingPolicy'],
  ['commander custom hlep', 'commander/Readme.md', 'Custom help'],
]

const PARAPHRASE: Asked = [
  [
    'my program hangs because a command it launched never quits',
    'execa/readme.md',
    'options.forceKillAfterTimeout',
  ],
  ['try again when something I launched crashed', 'execa/readme.md', 'Retry on error'],
  ['stop a launched program halfway through', 'execa/readme.md', 'Cancelling a spawned process'],
  ['give the launched program a limited number of seconds', 'execa/readme.md', 'timeout'],
  ['editor saves are noticed twice because the file is still growing', 'chokidar/README.md', 'Event timing'],
  ['skip some folders while observing the disk', 'chokidar/README.md', 'Filtering'],
  ['offer completions while somebody is entering words', 'minisearch/README.md', 'Auto suggestions'],
  [
    'make sure my unit tests never reach the internet',
    'undici/docs/docs/api/MockAgent.md',
    'mockAgent.disableNetConnect',
  ],
  [
    'go through the corporate gateway with a username and secret',
    'undici/docs/docs/api/ProxyAgent.md',
    'Example - proxy request with authentication',
  ],
  [
    'two identical downloads at once should hit the server only one time',
    'undici/docs/docs/api/Interceptors.md',
    'interceptors.deduplicate',
  ],
  [
    'remember name lookups so that hosts are not resolved each time',
    'undici/docs/docs/api/Interceptors.md',
    'interceptors.dns',
  ],
  ['keep passwords out of what gets written', 'pino/docs/redaction.md', 'Redaction'],
  ['disk fills up with old output, start a fresh file each day', 'pino/docs/help.md', 'Log rotation'],
  [
    'send severe problems to a different place than ordinary lines',
    'pino/docs/help.md',
    'Log to different streams',
  ],
  ['words rather than digits for severity', 'pino/docs/help.md', 'Log levels as labels'],
  [
    'know when the visitor closed the tab before we answered',
    'fastify/docs/Reference/Hooks.md',
    'onRequestAbort',
  ],
  [
    'run something right before the process goes away, while sockets are still open',
    'fastify/docs/Reference/Hooks.md',
    'preClose',
  ],
  ['uploads are rejected as too big', 'fastify/docs/Reference/Server.md', 'bodyLimit'],
  ['real address of the caller behind a load balancer', 'fastify/docs/Reference/Server.md', 'trustProxy'],
  [
    'exercise endpoints without opening a port',
    'fastify/docs/Guides/Testing.md',
    'Testing with HTTP injection',
  ],
  [
    'how much cpu and memory should I give a server',
    'fastify/docs/Guides/Recommendations.md',
    'Capacity Planning',
  ],
  [
    'the other side vanished but the socket looks alive',
    'ws/README.md',
    'How to detect and close broken connections',
  ],
  ['tell everybody who is connected', 'ws/README.md', 'Server broadcast'],
  ['measure how long it takes to get there and back', 'ws/README.md', 'Round-trip time'],
  ['accept patch and minor updates but nothing that breaks', 'semver/README.md', 'Caret Ranges'],
  ['turn sloppy text like v2 into a proper release number', 'semver/README.md', 'Coercion'],
  ['flag that takes several values', 'commander/Readme.md', 'Variadic option'],
  ['user must always pass this flag', 'commander/Readme.md', 'Required option'],
  ['picture should stay readable when part of it is dirty', 'qrcode/README.md', 'Error correction level'],
  ['forget stored answers when they get old', 'memoizee/README.md', 'Expire cache after given period'],
  ['answer slowly on purpose to test patience', 'nock/README.md', 'Delay the response'],
  [
    'abort a download when it takes too long',
    'node-fetch/README.md',
    'Request cancellation with AbortSignal',
  ],
  [
    'only signed in people may see a page',
    '@tanstack/router-core/skills/router-core/auth-and-guards/SKILL.md',
    'Redirect-Based Auth with Redirect-Back',
  ],
  [
    'ship less javascript on first visit',
    '@tanstack/router-core/skills/router-core/code-splitting/SKILL.md',
    'Setup: Automatic Code Splitting',
  ],
]

const of = (kind: Kind, asked: Asked): Question[] =>
  asked.map(([query, path, heading]) => ({ kind, query, path, heading }))

/**
 * Written before the ranking was tuned, as a developer would ask. Every second one of each kind is held out: the ranking
 * was tuned on the others.
 */
export const QUESTIONS: readonly Question[] = [
  ...of('plain', PLAIN),
  ...of('code', CODE),
  ...of('typo', TYPO),
  ...of('paraphrase', PARAPHRASE),
]
