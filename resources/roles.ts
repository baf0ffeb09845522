import { COUNTERS } from '../lib/adapters/aws/dynamodb/plan.ts'
import { collections } from '../lib/collections.ts'
import { capitalized, logicalTable } from './tables.ts'

/**
 * Verbs on resources, both separated by spaces. Resources are tables, the bucket and its folders (`rows/…`), queues, `key`,
 * and the parameters of a function (`parameters/…`).
 */
type Rights = readonly (readonly [verbs: string, resources: string])[]

/** To identify the caller: the settings, a session, its user, and its device. That it was seen is stored. */
const caller: Rights = [
  ['get', 'settings users'],
  ['get update', 'sessions pairings'],
]
/** Long fields of tasks. Without the right to list, S3 answers 403 for an object that is not there. */
const taskTexts: Rights = [
  ['get put delete', 'rows/tasks'],
  ['list', 'bucket'],
]
/** Linked accounts, and the tokens of them that are renewed. */
const linkedAccounts: Rights = [['get index update', 'linkedAccounts']]
const taskMessages: Rights = [['send', 'TaskQueue TaskUrgentQueue RunnerQueue RunnerUrgentQueue']]

/** The places of running tasks under the caps: a run that has ended gives up its own, and the next task goes on. */
const endedPlaces: Rights = [
  ['get update', 'places'],
  ['query delete', 'placeWaits'],
]

/** Whether the session of a subscribed browser lives: its user, and the device that may have it. */
const livingSessions: Rights = [
  ['get', 'sessions users pairings'],
  ['update', 'pairings'],
]

/** Messages to browsers, about calls that wait and results: the browsers, the key of the service, and what it is about. */
const alerts: Rights = [['get index delete', 'pushSubscriptions'], ['get', 'alertKeys'], ...livingSessions]

/** What the receivers of notices do: `notify`, and `dlq` with those that a queue gave up on. */
const notices: Rights = [
  ['get', 'settings approvals rows/approvals'],
  ...alerts,
  // Of a clock that ran ahead they get the present time.
  ['get put update index', 'notifications'],
  ...endedPlaces,
  // The end of a task, for the program that created it through the gateway, and webhooks that are subscribed to an event.
  ['get', 'webhookSubscriptions gatewayRequests'],
  ['get put update', 'deliveries'],
  ['get put delete', 'rows/deliveries'],
  ['get update', 'webhooks webhookHealth'],
  ['seal open', 'key'],
  // Bulk jobs: how far they are, what they select, what of it fails, and what they ask for of tasks and dead letters.
  ['get put update', 'bulkJobs'],
  ['get', 'bulkParts failureMutes'],
  ['put', 'bulkFailures ticketTasks'],
  ['read put update', 'tasks deadLetters'],
  ['read put', 'taskEvents'],
  // Messages to the thread of an ended task, which become its next turn; the retry of such a turn.
  ['query put', 'threadTurns'],
  ['read delete', 'waitingMessages'],
  ['get delete', 'rows/waitingMessages'],
  ...taskMessages,
  ...taskTexts,
  // Comments on issues, by linked accounts of admins.
  ...linkedAccounts,
  ['get', 'rosters'],
  ['get put update', 'reports'],
  ['read', 'parameters/auth'],
]

/** Approvals that agents ask for, find again and use up; the policy of tools, and the record of their calls. */
const recordedCalls: Rights = [
  ['get', 'securityPolicy allowedTools'],
  ['get put update', 'approvals'],
  ['get put delete', 'approvalSlots'],
  ['put', 'toolCalls rows/toolCalls'],
  ['get put', 'rows/approvals'],
]

/** The same with the rate of calls, which is counted where they are made. */
const toolCalls: Rights = [...recordedCalls, ['get put update', 'limits']]

/** The holds of providers whose usage limit was reached, as their calls are answered. */
const providerLimits: Rights = [['get put update', 'holds']]

/** Attempts of tasks, wherever their agents run. */
const attempts: Rights = [
  ...taskTexts,
  // Whether the user of a task is told of its end.
  ['get', 'resultReaders'],
  ...endedPlaces,
  // Places are taken before a claim, and a task waits for one.
  ['put', 'places placeWaits'],
  // What was spent, where a budget is set, and what admins were told of it.
  ['query', 'counters'],
  ['put', 'budgetNotices'],
  ['read put update', 'tasks'],
  ['read put', 'taskEvents feedEntries deadLetters'],
  // What a turn leaves for the next one of its thread.
  ['read put', 'continuations'],
  ['get put', 'rows/continuations'],
  // What an attempt that failed has left.
  ['put', 'attemptResults rows/attemptResults'],
  // Progress is published while live readers are connected.
  ['get', 'liveWatches'],
  // The search of memory by agents, and the experiences of finished tasks.
  ['get put update', 'memoryState'],
  ['query', 'memoryFiles'],
  ['get query put', 'experiences'],
  ['get', 'rows/memoryFiles memory-index'],
  ['get put', 'rows/experiences'],
  // Approvals are taken back when their task has ended.
  ['index', 'approvals'],
  ['get put', 'agentSessions'],
  // The key of the embedding model, and in the worker those of all model providers.
  ['read', 'parameters/worker'],
  // The accounts that repositories are cloned and changes pushed with: whose they are, and who the admins are.
  ...linkedAccounts,
  ['get', 'users rosters'],
  ['seal open', 'key'],
]

/** Turns of conversations, which wait for an approval with a snapshot of their workspace. */
const turns: Rights = [
  // What an answer cost.
  ['put', 'chatCosts'],
  ['get put update', 'conversations'],
  ['get put', 'chatMessages workspaceSnapshots'],
  ['get put update delete', 'chatTurns'],
  ['get put delete', 'rows/chatMessages rows/chatTurns rows/workspaceSnapshots'],
]

/** An agent that a task names may be one that only runners have. */
const offeredAgents: Rights = [['index', 'runners']]

/** The rights of each function beside those to its log. */
const rights: Readonly<Record<string, Rights>> = {
  agentic: [
    ...caller,
    ...taskTexts,
    ...toolCalls,
    ...turns,
    ...providerLimits,
    ['read update', 'tokens'],
    ['read put', 'gatewayRequests gatewayKeys'],
    ['read index put', 'tasks'],
    ['read put update', 'limits openStreams'],
    // The newest task of a ticket.
    ['query put', 'ticketTasks'],
    ['put', 'audit'],
    ['query', 'chatMessages'],
    ['get', 'rows/conversations'],
    ['get put update', 'liveWatches'],
    // Agent sessions and their events.
    ['get index put update', 'agentSessions'],
    ['query put', 'feedEntries'],
    // Also what was spent, where a budget is set, and what admins were told of it.
    ['query', 'counters'],
    ['put', 'budgetNotices'],
    // The search of memory.
    ['get', 'memoryState'],
    ['query', 'memoryFiles'],
    ['index', 'memorySessions'],
    ['get', 'rows/memoryFiles memory-index'],
    // Keys of model providers, and the OAuth apps of linked accounts, by which tickets are read.
    ['read', 'parameters/worker parameters/auth'],
    ...linkedAccounts,
    // Copies of exports; unfinished ones are discarded.
    ['put abort', 'exports'],
    // The keys of models that admins store and remove.
    ['get put update', 'modelKeys'],
    // The settings of web search, whose key is opened; the secret that signs the notice of a task's end is sealed.
    ['get', 'integrations'],
    ['seal open', 'key'],
  ],
  agents: [
    ...caller,
    ['read', 'counters'],
    ...offeredAgents,
    // Whether a key of a model provider is there: by its name, since rights by path show values. AWS has no narrower right.
    ['names', 'parameters'],
    // Whether an admin has stored one. It is not opened.
    ['get', 'modelKeys'],
  ],
  auth: [
    ['get', 'settings tokens'],
    ['read index put update delete', 'sessions invites linkedAccounts'],
    ['read index put update', 'users'],
    ['read put update', 'registrations rosters limits'],
    ['read put delete', 'authorizationRequests'],
    ['get put update', 'phoneLinks'],
    ['read', 'counters'],
    // The device that a session may belong to, and that ends with it; those of a disabled user.
    ['get index update delete', 'pairings'],
    ['put', 'audit'],
    // The state of a sign-in with a provider, its tokens, and the secrets of providers.
    ['seal open', 'key'],
    ['read', 'parameters/auth'],
  ],
  bulk: [
    ...caller,
    // The rows that a job selects. A search for a word reads whole tasks, which no index has.
    ['read index scan', 'tasks'],
    ['read index', 'deadLetters'],
    ['get', 'rows/tasks'],
    ['list', 'bucket'],
    ['get index put update', 'bulkJobs'],
    ['put', 'bulkParts audit'],
    ['query', 'bulkFailures counters'],
  ],
  chat: [
    ...caller,
    // Whether the task of a new conversation exists.
    ['get', 'tasks'],
    ['read index put update delete', 'conversations'],
    ['read put delete', 'chatMessages'],
    ['read', 'counters'],
    ['get put delete', 'rows/conversations rows/chatMessages'],
    // The rows of a deleted conversation, and a turn that is cancelled while it waits for approval: that call is on record.
    ['put delete', 'conversationRemovals'],
    ['get delete', 'chatTurns workspaceSnapshots approvalSlots'],
    ['get index put delete', 'agentSessions approvals'],
    ['query delete', 'feedEntries allowedTools'],
    ['put', 'toolCalls rows/toolCalls'],
    ['get delete', 'rows/chatTurns rows/workspaceSnapshots rows/approvals'],
    ['list', 'bucket'],
  ],
  devices: [
    ['get', 'settings users tokens'],
    ['read put update delete', 'sessions'],
    ['read index put update delete', 'pairings'],
    ['read put', 'deviceIdentity pairingCodes'],
    ['read put delete', 'pairingSlots'],
    ['read put update', 'limits'],
    ['put', 'audit'],
    // The identity of the installation, and tokens until their device has fetched them.
    ['seal open', 'key'],
  ],
  dlq: [...notices, ['receive return', 'TaskDlq NotificationDlq']],
  gateway: [
    ...caller,
    ...taskTexts,
    ['read index put update delete', 'tokens'],
    ['read put', 'gatewayRequests gatewayKeys tasks'],
    ['read put update', 'limits'],
    ['read', 'feedEntries counters'],
    ['put', 'ticketTasks audit'],
    // The secret that signs the notice of a task's end. The function that signs opens it.
    ['seal', 'key'],
  ],
  // Whether an admin has stored a key of a model.
  health: [...caller, ...offeredAgents, ['get', 'tokens modelKeys'], ['read', 'counters']],
  integrations: [
    ...caller,
    ['get put update', 'integrations'],
    ['put', 'audit'],
    // Keys are sealed here, and opened by the functions that agents run in.
    ['seal', 'key'],
  ],
  // It writes no memory file.
  memory: [
    ...caller,
    ['receive', 'MemoryEvents'],
    // Whether a conversation belongs to the caller.
    ['get', 'conversations'],
    ['read put update delete', 'memoryFiles experiences'],
    ['read put update', 'memoryState memoryVerdicts'],
    ['read index put update', 'memorySessions'],
    ['put', 'audit'],
    ['get', 'memory'],
    ['list', 'bucket'],
    // Long fields of rows, and each version of memory as one text.
    ['get put delete', 'rows/memoryFiles rows/experiences memory-index'],
    // The key of the embedding model.
    ['read', 'parameters/worker'],
  ],
  notifications: [
    ...caller,
    ['read index', 'notifications'],
    ['read index put', 'notificationReads'],
    ['read put update', 'notificationMarks'],
    ['read', 'counters'],
    // The inbox: what a user marked, and the causes of its items.
    ['index put update delete', 'inboxMarks'],
    ['read index', 'approvals'],
    ['index', 'deadLetters tasks webhooks'],
    ['get', 'rows/approvals rows/tasks failureMutes holds webhookHealth'],
    ['list', 'bucket'],
    // The browsers that get messages, and the key of the service, which is made here.
    ['index get put delete', 'pushSubscriptions'],
    ['get put', 'alertKeys'],
    ['get put update', 'resultReaders'],
    ['seal open', 'key'],
  ],
  notify: [...notices, ['receive return', 'NotificationQueue']],
  openapi: [...caller, ['get', 'tokens']],
  outbound: [
    ...caller,
    ['get update', 'tokens'],
    // They name the events that are emitted.
    ['get put', 'webhookSubscriptions'],
    ['read index put update delete', 'webhooks'],
    ['read put update', 'webhookHealth'],
    ['read index put update', 'deliveries'],
    ['put', 'audit'],
    ['get put delete', 'rows/deliveries'],
    ['list', 'bucket'],
    // The secrets that sign deliveries.
    ['seal open', 'key'],
  ],
  queue: [
    ...caller,
    ['read index put update', 'deadLetters'],
    ['read put', 'tasks'],
    ['read', 'taskEvents counters'],
    ['read put delete', 'failureMutes'],
    ['get update', 'holds'],
    ['put', 'audit'],
    // The message of a task that waits for one, when its dead letter is retried.
    ...taskMessages,
    ['get delete', 'rows/tasks'],
    ['list', 'bucket'],
  ],
  runners: [
    ...caller,
    // Registrations of runners, and their tokens.
    ['get update delete', 'tokens'],
    ['get index put update delete', 'runners'],
    ['put', 'audit'],
    // Tasks that runners claim, and all that the worker writes of its own.
    ['take', 'RunnerQueue RunnerUrgentQueue'],
    ...attempts,
    ...recordedCalls,
    // Whether a provider is held, for which a task waits that is to try it.
    ['get update', 'holds'],
  ],
  schedules: [
    ...caller,
    ['read index put update delete', 'schedules'],
    ['read', 'counters'],
    // The number of schedules, which is limited.
    ['get put update', 'limitedCounts'],
    // The list has the state of the task that each created last.
    ['get put', 'tasks'],
    ['put', 'ticketTasks audit'],
    ['get put delete', 'rows/schedules'],
    ['get put delete', 'rows/tasks'],
    ['list', 'bucket'],
  ],
  security: [
    ...caller,
    // Whether a conversation belongs to the caller.
    ['get', 'conversations'],
    ['read put update', 'securityPolicy'],
    ['read index', 'toolCalls'],
    ['read index put update', 'approvals'],
    ['read index put delete', 'allowedTools'],
    ['read', 'counters'],
    ['put', 'audit'],
    ['get', 'rows/toolCalls rows/approvals'],
    ['list', 'bucket'],
  ],
  settings: [
    ...caller,
    // Whether any account could sign in.
    ['get', 'rosters'],
    ['read put update', 'settings'],
    ['read index put', 'audit'],
    ['read', 'counters'],
  ],
  stream: [
    ['follow', 'streams'],
    ['get update', 'counters'],
    // Notices go to webhooks that are subscribed, changes to connected live readers.
    ['get', 'webhookSubscriptions liveWatches'],
    ['put', 'feedEntries'],
    ...taskMessages,
    ['send', 'NotificationQueue StreamFailures'],
  ],
  tasks: [
    ...caller,
    ...offeredAgents,
    ...taskTexts,
    // A search for a word reads whole tasks, which no index has.
    ['read index put update scan', 'tasks'],
    ['read put', 'taskEvents createReplays'],
    ['read', 'feedEntries counters reports'],
    // A retry of a failed task resolves its dead letter.
    ['read update', 'deadLetters'],
    ['put', 'ticketTasks audit'],
    // Threads: their turns, and messages that wait for the end of one.
    ['query put', 'threadTurns'],
    ['read put delete', 'waitingMessages'],
    ['get put delete', 'rows/waitingMessages'],
    // What attempts have left.
    ['get', 'attemptResults rows/attemptResults'],
    // The rate limit of imports.
    ['get put update', 'limits'],
  ],
  tick: [
    ['get', 'settings'],
    ...endedPlaces,
    ['index delete', 'places'],
    ...offeredAgents,
    // Runners that were not heard of for long.
    ['delete', 'runners'],
    ...taskMessages,
    ...taskTexts,
    ['read index put update', 'tasks'],
    ['read put', 'taskEvents deadLetters'],
    ['read index put update delete', 'deliveries'],
    ['get put delete', 'rows/deliveries'],
    ['get delete', 'pushSubscriptions'],
    ['get', 'alertKeys'],
    ...livingSessions,
    ['get query index put update', 'schedules'],
    ['put', 'ticketTasks'],
    ['get', 'rows/schedules'],
    // Bulk jobs whose message was lost, and the results of the tasks that they retried.
    ['index update', 'bulkJobs'],
    ['query', 'counters'],
    // The rows of deleted conversations. A call that waited for one of their approvals is on record.
    ['query delete', 'conversationRemovals chatMessages feedEntries allowedTools'],
    ['get delete', 'chatTurns workspaceSnapshots'],
    ['get delete', 'rows/chatMessages rows/chatTurns rows/workspaceSnapshots rows/approvals'],
    ['delete', 'approvalSlots'],
    ['put', 'toolCalls rows/toolCalls'],
    // Approvals that were not decided in time.
    ['get index put update delete', 'approvals'],
    // Tasks that wait for a provider, and one that tries it.
    ['get update', 'holds'],
    ['put', 'budgetNotices'],
    // Agent sessions whose process died, and the last event of each.
    ['index update delete', 'agentSessions'],
    ['put', 'feedEntries'],
    // Memory, when its files have changed.
    ['get query put update delete', 'memoryFiles'],
    ['get put update', 'memoryState'],
    ['get', 'memory'],
    ['get put delete', 'rows/memoryFiles memory-index'],
    // Webhooks that are resumed, the pause of one, the results of sends, and deleted webhooks.
    ['get query index update', 'webhooks'],
    ['index update delete', 'webhookHealth'],
    // The secrets that sign deliveries.
    ['seal open', 'key'],
    // Comments on issues, by linked accounts of admins.
    ...linkedAccounts,
    ['get', 'rosters'],
    ['get update', 'reports'],
    // The key of the embedding model, and the OAuth apps of those accounts.
    ['read', 'parameters/worker parameters/auth'],
  ],
  // The page is in the package.
  ui: [],
  webhooks: [
    ...caller,
    ...taskTexts,
    ['get', 'tokens'],
    // The state of the caller's linked accounts. Tokens in the rows are sealed, and this function has no key.
    ['index', 'linkedAccounts'],
    ['get put update', 'inboundEvents inboundClaims'],
    ['get put delete', 'rows/inboundEvents'],
    // The task that an event comes to, or that is cancelled by it.
    ['read index put update', 'tasks'],
    ['read', 'counters'],
    ['put', 'ticketTasks reports taskEvents'],
    // The secrets that sign events.
    ['read', 'parameters/webhooks'],
  ],
  worker: [
    ['get', 'settings'],
    ['receive return', 'TaskQueue TaskUrgentQueue'],
    // A message continues the run of a task that waits.
    ...taskMessages,
    ...attempts,
    ...toolCalls,
    ...turns,
    ...providerLimits,
    // The settings of web search, and its key; the keys of models that admins have stored.
    ['get', 'integrations modelKeys'],
  ],
}

type Reference = { 'Fn::GetAtt': string[] } | { 'Fn::Sub': string }
const arn = (logicalName: string): Reference => ({ 'Fn::GetAtt': [logicalName, 'Arn'] })
const sub = (text: string): Reference => ({ 'Fn::Sub': text })

/** The actions of verbs, by service. `index` reads the indexes of a table. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  dynamodb: {
    get: ['GetItem'],
    query: ['Query'],
    read: ['GetItem', 'BatchGetItem', 'Query'],
    index: ['Query'],
    put: ['PutItem'],
    update: ['UpdateItem'],
    delete: ['DeleteItem'],
    scan: ['Scan'],
    follow: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'],
  },
  s3: {
    get: ['GetObject'],
    put: ['PutObject'],
    delete: ['DeleteObject'],
    list: ['ListBucket'],
    abort: ['AbortMultipartUpload'],
  },
  sqs: {
    receive: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'],
    return: ['ChangeMessageVisibility'],
    take: ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'],
    send: ['SendMessage'],
  },
  kms: { seal: ['GenerateDataKey'], open: ['Decrypt'] },
  ssm: { read: ['GetParametersByPath'], names: ['DescribeParameters'] },
  logs: { write: ['CreateLogStream', 'PutLogEvents'] },
}

const TABLES: ReadonlySet<string> = new Set([COUNTERS, ...collections.map(({ name }) => name)])
const FOLDERS = ['rows', 'memory', 'memory-index', 'exports']
// biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation.
const SSM = 'arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:'
// biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the Serverless Framework.
const STAGE_PARAMETERS = 'parameter/${self:service}/${sls:stage}/'

/** The service of a resource, and its names in CloudFormation. */
const located = (resource: string, verb: string): [service: string, ...references: Reference[]] => {
  const [folder = '', path = ''] = resource.split('/')
  if (TABLES.has(resource)) {
    const table = logicalTable(resource)
    return ['dynamodb', verb === 'index' ? sub(`\${${table}.Arn}/index/*`) : arn(table)]
  }
  if (FOLDERS.includes(folder)) return ['s3', sub(`\${FilesBucket.Arn}/${resource}/*`)]
  if (resource === 'bucket') return ['s3', arn('FilesBucket')]
  if (resource === 'key') return ['kms', arn('SecretsKey')]
  if (resource === 'parameters') return ['ssm', sub(`${SSM}*`)]
  const parameters = SSM + STAGE_PARAMETERS + path
  if (folder === 'parameters') return ['ssm', sub(parameters), sub(`${parameters}/*`)]
  if (resource.endsWith('LogGroup')) return ['logs', arn(resource)]
  if (/^[A-Z]/.test(resource)) return ['sqs', arn(resource)]
  throw new Error(`No role can name ${resource}`)
}

/** One statement for all resources on which the same is allowed. */
const statements = (allowed: Rights, streams: readonly Reference[]) => {
  const all = allowed.flatMap(([verbs, resources]) =>
    resources.split(' ').flatMap((resource) =>
      verbs.split(' ').flatMap((verb) => {
        const [service, ...references] =
          resource === 'streams' ? (['dynamodb', ...streams] as const) : located(resource, verb)
        const actions = ACTIONS[service]?.[verb]?.map((action) => `${service}:${action}`)
        if (actions === undefined) throw new Error(`Nothing can ${verb} ${resource}`)
        return references.map((reference) => ({ reference, actions }))
      }),
    ),
  )
  const byResource = Map.groupBy(all, ({ reference }) => JSON.stringify(reference))
  const merged = Array.from(byResource, ([reference, same]) => ({
    Resource: JSON.parse(reference) as Reference,
    Action: [...new Set(same.flatMap(({ actions }) => actions))],
  }))
  return Array.from(Map.groupBy(merged, ({ Action }) => Action.toSorted().join()).values(), (same) => ({
    Effect: 'Allow',
    Action: same[0]?.Action,
    Resource: same.map(({ Resource }) => Resource),
  }))
}

/** `tasks` → `TasksRole`. */
export const roleName = (name: string) => `${capitalized(name)}Role`

/** The role of each function. Throws for one without rights, and for rights that no role can have. */
export const functionRoles = (names: readonly string[], streams: readonly Reference[]) => ({
  Resources: Object.fromEntries(names.map((name) => [roleName(name), role(name, streams)])),
})

const role = (name: string, streams: readonly Reference[]) => {
  const own = rights[name]
  if (own === undefined) throw new Error(`The function ${name} has no rights in resources/roles.ts`)
  const log: Rights = [['write', `${capitalized(name)}LogGroup`]]
  const Version = '2012-10-17'
  const Principal = { Service: 'lambda.amazonaws.com' }
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version,
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal }],
      },
      Policies: [
        { PolicyName: name, PolicyDocument: { Version, Statement: statements([...log, ...own], streams) } },
      ],
    },
  }
}
