import type { Route } from '../../http/route.ts'
import type { CallInput } from '../client.ts'
import type { ApiRoutes } from '../routes.ts'

/** The description of an operation beyond its summary, and an example call. An operation without input needs none. */
type OperationText<R extends Route> = { about: string } & (object extends CallInput<R>
  ? { example?: CallInput<R> }
  : { example: CallInput<R> })

const task = { params: { id: 'task_01KF0Q8Y3V5W7X9Z' } }
const conversation = { params: { id: 'conv_01KF0Q8Y3V5W7X9Z' } }
const session = { params: { id: 'sess_01KF0Q8Y3V5W7X9Z' } }
const webhook = { params: { id: 'whk_01KF0Q8Y3V5W7X9Z' } }
const schedule = { params: { id: 'sched_01KF0Q8Y3V5W7X9Z' } }
const deadLetter = { params: { id: 'dlq_01KF0Q8Y3V5W7X9Z' } }
const experience = { params: { id: 'exp_01KF0Q8Y3V5W7X9Z' } }
const created = {
  title: 'Mend the failing test',
  prompt: 'Find out why test/dates.test.ts fails, and mend it.',
}
const said = { messages: [{ role: 'user' as const, content: 'What is a lease?' }] }
const came = { query: { code: 'abc123', state: 'c3RhdGU' } }

const BEGIN =
  'Answers 302 to the provider. With a session the account is linked, without one the person signs in. Open it in a browser.'
const FINISH =
  'The provider sends the browser here. It answers 302 to the page, with a session; a failure leads to /login?error=….'
const CONNECTION = 'Says whether your account is linked, and what is known of it. Tokens are never shown.'
const DISCONNECT = 'Answers 200 also where none was linked.'
const INBOUND =
  'For the provider: signed with the secret of its webhook, over the bytes of the body. It is stored before it is answered; the same delivery makes one task.'

const FINGERPRINT = '3f2a9c1b7d4e6a80'

/** Every operation by its name: a route without a text, or an invalid example, does not compile. */
export const operations: { readonly [Name in keyof ApiRoutes]: OperationText<ApiRoutes[Name]> } = {
  listTasks: {
    about:
      'Answers summaries, without description, prompt, result and metadata, unless `full` or `fields` asks for more.',
    example: { query: { status: 'completed', limit: 20 } },
  },
  createTask: {
    about:
      'The task is stored before it is answered, and runs as soon as a worker is free. Only the title is needed.',
    example: { body: { ...created, repository: 'acme/web', labels: ['backend'] } },
  },
  filterTasks: {
    about: 'A task has to fit all fields that are given; lists are separated by commas. Answers whole tasks.',
    example: { query: { status: ['failed', 'cancelled'], labels: ['backend'], limit: 20 } },
  },
  taskAnalytics: {
    about:
      'Counts, rates and durations of all tasks, and of each day. With `window` or `timezone` also what happened in a recent window: by five minutes of an hour, or by the hours or days of the zone; percentiles are within 5 %.',
    example: { query: { window: '24h', timezone: 'Europe/Berlin' } },
  },
  exportTasks: {
    about: 'All tasks as one file, streamed, which an import takes again. It is in the audit record.',
  },
  importTasks: {
    about:
      'For admins. Ids and times are kept; an id that exists is skipped. Finished tasks are not run again, pending and queued ones are queued.',
    example: {
      body: {
        version: '1.0',
        tasks: [
          { id: 'task_imported1', title: 'Old', status: 'completed', createdAt: '2025-01-15T09:30:00Z' },
        ],
      },
    },
  },
  getTask: {
    about:
      'The whole task, with its result or error, and the comment that reports its end where it came from.',
    example: task,
  },
  cancelTask: {
    about:
      'A waiting task never starts; a running one is aborted. One that has ended is 400 `task_state_conflict`.',
    example: task,
  },
  retryTask: {
    about:
      'Creates a new task with the same definition, and resolves the pending dead letter of a failed one. Of two retries at the same time one is refused.',
    example: task,
  },
  taskEvents: {
    about: 'Each transition and each progress of its agent. Why an attempt ended is here.',
    example: task,
  },

  queueStatus: { about: 'Counts by state, the workers, and the dead letter queue.' },
  bulkTasks: {
    about:
      'The tasks are chosen when it is asked for, by ids or by a filter with the fields of `GET /api/tasks/filter`; with `dryRun` they are counted and nothing is changed; of ids those count that exist in a state that the action fits. A filter that chooses all there are needs `all`. The job goes on after a restart. A task that was retried since the request is not retried again.',
    example: { body: { action: 'retry', filter: { status: ['failed'], labels: ['backend'] }, dryRun: true } },
  },
  bulkDlq: {
    about:
      'The dead letters are chosen when it is asked for, by ids or by a filter; one without a status chooses those that wait. One without any field needs `all`.',
    example: { body: { action: 'discard', filter: { agent: ['coding-agent'] } } },
  },
  listBulk: {
    about: 'How far each is, without what failed. Jobs are listed for 30 days.',
    example: { query: { limit: 20 } },
  },
  getBulk: {
    about: 'What it has done, what was refused and why. Jobs can be read for 30 days.',
    example: { params: { id: 'bulk_01KF0Q8Y3V5W7X9Z' } },
  },
  cancelBulk: {
    about: 'The item of this moment may still be done. A job that has ended is answered as it is.',
    example: { params: { id: 'bulk_01KF0Q8Y3V5W7X9Z' } },
  },
  listFailures: {
    about:
      'Failures with the same code, message and agent are a group; numbers, ids and paths in a message do not count.',
    example: { query: { since: '2026-01-15T00:00:00Z' } },
  },
  muteFailure: {
    about: 'Its failures are still counted.',
    example: { params: { fingerprint: FINGERPRINT } },
  },
  unmuteFailure: { about: 'From the next failure on.', example: { params: { fingerprint: FINGERPRINT } } },
  listDlq: {
    about: 'Tasks that failed for good and wait for a decision. Without `status`, those that are pending.',
    example: { query: { status: 'pending' } },
  },
  retryDlqItem: {
    about: 'The same task runs again, and the item is resolved. One that is not pending is 400.',
    example: deadLetter,
  },
  discardDlqItem: {
    about: 'The task stays failed, and the item is out of the way. One that is not pending is 400.',
    example: deadLetter,
  },
  listAgents: {
    about:
      'Asks each agent how it is, so it may take as long as the slowest. Statistics are of all its tasks.',
  },
  listAgentTypes: { about: 'The words that `assignedAgent` of a task may be.' },
  listNotifications: {
    about:
      'What the installation has to say to people, such as tasks that failed. What was read is remembered of each user.',
  },
  readAllNotifications: { about: 'Yours alone: other users keep what they have not read.' },
  readNotification: {
    about: 'Yours alone: other users keep it unread.',
    example: { params: { id: 'ntf_01KF0Q8Y3V5W7X9Z' } },
  },

  logout: { about: 'Ends the session that the request came with, and takes the cookie away.' },
  verifyAccessKey: {
    about: 'Answers a session cookie. A wrong key is 401, and 400 where none is set. Ten tries a minute.',
    example: { body: { key: 'correct horse battery staple' } },
  },
  changeAccessKey: {
    about:
      'For admins, in local mode. The caller stays signed in; null opens the installation to its own machine again.',
    example: { body: { key: 'correct horse battery staple' } },
  },
  listSessions: { about: 'Browsers and paired devices that are signed in as you.' },
  endOtherSessions: { about: 'Ends all sessions of the caller except the one of this request.' },
  endSession: { about: 'The next request with that session is answered 401.', example: session },
  signup: {
    about: 'In cloud mode. The first account is admin and needs no invite. Answers a session cookie.',
    example: { body: { email: 'ann@example.org', password: 'correct horse 1', name: 'Ann' } },
  },
  login: {
    about:
      'In cloud mode. Answers a session cookie. An unknown e-mail and a wrong password are the same 401.',
    example: { body: { email: 'ann@example.org', password: 'correct horse 1' } },
  },
  me: {
    about:
      'Answers 401 with the mode of sign-in where there is no session. Either says which providers are configured.',
  },
  changeMe: {
    about: 'What is left out stays as it is.',
    example: { body: { timezone: 'Europe/Berlin', locale: 'en-GB' } },
  },
  changePassword: {
    about: 'In cloud mode. API tokens stay. A wrong current password is 401.',
    example: { body: { currentPassword: 'correct horse 1', newPassword: 'correct horse 2' } },
  },
  resetPassword: {
    about: 'In cloud mode. The code works once, within an hour. Answers a session cookie.',
    example: { body: { email: 'ann@example.org', code: 'K7QX-2M9P', newPassword: 'correct horse 2' } },
  },
  createInvite: {
    about: 'For admins. With an e-mail the invite is for that address alone.',
    example: { body: { email: 'bob@example.org', expiresInDays: 7 } },
  },
  listInvites: { about: 'For admins. Their codes are not shown again.' },
  deleteInvite: {
    about: 'For admins. Its code is refused from then on.',
    example: { params: { id: 'inv_01KF0Q8Y3V5W7X9Z' } },
  },
  listUsers: { about: 'For admins.' },
  changeUser: {
    about: 'For admins. The last admin keeps the role.',
    example: { params: { id: 'user_01KF0Q8Y3V5W7X9Z' }, body: { role: 'admin' } },
  },
  createResetCode: {
    about: 'For admins. Hand the code to the owner; it is shown this once.',
    example: { params: { id: 'user_01KF0Q8Y3V5W7X9Z' } },
  },

  getDeviceIdentity: {
    about:
      'The Ed25519 identity that attestations of this service are signed with. Made when it is first needed.',
  },
  attest: {
    about: 'Signs the data with the identity of the service, the time and a nonce.',
    example: { body: { data: { build: 7 } } },
  },
  verifyAttestation: {
    about:
      'Checks signature, id and age. An attestation that is not valid is answered 200, with `valid: false` and why.',
    example: {
      body: {
        attestation: {
          deviceId: 'dev_5f1c8a0b2d4e6f708192a3b4c5d6e7f8',
          publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
          attestation: {
            timestamp: '2026-01-15T09:30:00.000Z',
            nonce: 'cmFuZG9tIG5vbmNlIQ',
            data: { build: 7 },
            signature: 'c2lnbmF0dXJl',
          },
        },
        maxAgeMs: 60_000,
      },
    },
  },
  requestPairing: {
    about:
      'For a device without a session. Show `formatted` to a person, and ask for the status with `requestId`, which is secret.',
    example: { body: { requesterId: 'laptop', meta: { program: 'agent-tasks' } } },
  },
  approvePairing: {
    about:
      'The device gets a session of yours for 30 days. Approve only a code that you see on a device of yours.',
    example: { body: { code: 'K7Q-XM2-9PA' } },
  },
  rejectPairing: {
    about: 'The device reads the reason, if one is given.',
    example: { body: { code: 'K7Q-XM2-9PA', reason: 'not mine' } },
  },
  getPairingStatus: {
    about:
      'Ask about once a second, until it is not pending. The token is there until the request expires, ten minutes after it was made.',
    example: { params: { requestId: 'secret-request-id' } },
  },
  listPendingPairings: { about: 'For admins. Codes are not shown.' },
  getPairingQr: { about: 'As a request, with the code as a picture.' },
  cleanupPairings: { about: 'They are removed by themselves as well, later.' },
  listPairedDevices: { about: 'Devices whose token has not ended.' },
  revokePairedDevice: {
    about: 'The device is refused with its next request.',
    example: { params: { id: 'pairing_01KF0Q8Y3V5W7X9Z' } },
  },
  beginCodehost: { about: BEGIN },
  finishCodehost: { about: FINISH, example: came },
  beginTrackera: { about: BEGIN },
  finishTrackera: { about: FINISH, example: came },
  beginTrackerb: { about: BEGIN },
  finishTrackerb: { about: FINISH, example: came },
  beginOidc: { about: BEGIN },
  finishOidc: { about: FINISH, example: came },
  codehostUrl: {
    about: 'Keep `state`, and send the person to `url`.',
    example: { query: { redirectPath: '/settings' } },
  },
  codehostToken: {
    about: 'Answers the user and a session cookie.',
    example: { body: { code: 'abc123', state: 'c3RhdGU' } },
  },

  readSettings: { about: 'For admins. What the environment sets cannot be changed at run time.' },
  changeSettings: {
    about: 'For admins. What is left out stays as it is; what the environment sets is refused.',
    example: { body: { retry: { attempts: 5 } } },
  },
  listAudit: {
    about: 'For admins. Who changed what, from where. Secrets are not in it.',
    example: { query: { from: '2026-01-01T00:00:00Z' } },
  },
  createToken: {
    about:
      'For programs: `gateway` hands in tasks, `webhooks` manages outbound webhooks. The token is stored hashed.',
    example: { body: { name: 'Build server', scopes: ['gateway'], expiresInDays: 90 } },
  },
  listTokens: { about: 'Their texts are not shown again.' },
  revokeToken: {
    about: 'Requests with it are refused from then on.',
    example: { params: { id: 'tok_01KF0Q8Y3V5W7X9Z' } },
  },
  submitRequest: {
    about:
      'With an API token of scope `gateway`. With `options.synchronous` it waits for the end, at most `options.timeout`.',
    example: { body: { task: created, workflow: 'custom' } },
  },
  requestStatus: {
    about: 'With the token that handed it in.',
    example: { params: { requestId: 'req_01KF0Q8Y3V5W7X9Z' } },
  },

  getWebSearch: { about: 'Keys are masked. Nothing is probed.' },
  changeWebSearch: {
    about: 'For admins. A key that is given as it was shown, with its asterisks, stays.',
    example: { body: { enabled: true, provider: 'searxng', searxng: { baseUrl: 'http://127.0.0.1:8888' } } },
  },
  getCodehostConnection: { about: CONNECTION },
  disconnectCodehost: { about: DISCONNECT },
  getTrackeraConnection: { about: CONNECTION },
  disconnectTrackera: { about: DISCONNECT },
  getTrackerbConnection: { about: CONNECTION },
  disconnectTrackerb: { about: DISCONNECT },
  codehostEvent: { about: INBOUND, example: { body: { zen: 'Keep it simple.', hook_id: 1 } } },
  trackeraEvent: {
    about: INBOUND,
    example: { body: { webhookEvent: 'jira:issue_created', issue: { key: 'WEB-42' } } },
  },
  trackerbEvent: {
    about: INBOUND,
    example: { body: { action: 'create', type: 'Issue', data: { identifier: 'WEB-42' } } },
  },
  webhookStatus: { about: 'Secrets are not shown, only whether they are set.' },

  listWebhooks: { about: 'Secrets are not shown.' },
  createWebhook: {
    about:
      'Deliveries are signed by Standard Webhooks, sent up to six times, and kept while the URL fails. A generated secret is shown this once.',
    example: {
      body: { url: 'https://example.com/hooks/tasks', events: ['task.failed'], generateSecret: true },
    },
  },
  getWebhook: { about: 'With its last delivery, and whether it is failing.', example: webhook },
  changeWebhook: {
    about: 'What is left out stays as it is. `active: true` goes on with a failing one.',
    example: { ...webhook, body: { active: true } },
  },
  deleteWebhook: { about: 'Its deliveries are gone too.', example: webhook },
  rotateWebhookSecret: { about: 'The new secret is shown this once.', example: webhook },
  testWebhook: {
    about: 'Sent at once and once; 400 `webhook_paused` for one that is paused.',
    example: webhook,
  },
  recoverWebhook: {
    about: 'Queues the failed deliveries since that time again, and answers how many.',
    example: { ...webhook, body: { since: '2026-01-15T00:00:00Z' } },
  },
  listWebhookDeliveries: {
    about: 'Each with its body, its attempts, and what the receiver answered.',
    example: webhook,
  },
  redeliver: {
    about: 'The receiver recognises it by its id.',
    example: { params: { ...webhook.params, deliveryId: 'dlv_01KF0Q8Y3V5W7X9Z' } },
  },
  listSchedules: { about: 'Each with the task that it makes, and when it is due next.' },
  createSchedule: {
    about: 'Each due minute makes one task. What was due while the service was down is made up for once.',
    example: { body: { name: 'Nightly check', cron: '0 3 * * *', timezone: 'Europe/Berlin', task: created } },
  },
  previewSchedule: {
    about: 'A pattern that is none is 400, and says why.',
    example: { query: { cron: '0 7 * * 1-5', timezone: 'UTC' } },
  },
  getSchedule: { about: 'With its next due times.', example: schedule },
  changeSchedule: {
    about: 'What is left out stays as it is.',
    example: { ...schedule, body: { enabled: false } },
  },
  deleteSchedule: { about: 'Nothing is due any more.', example: schedule },
  runSchedule: { about: 'Its next due time stays as it is.', example: schedule },
  followEvents: {
    about:
      'Server-sent events of tasks, their progress and reports, the queue, dead letters, approvals and notifications, until the stream ends after ten minutes, in mode `pro` after two.',
  },

  searchMemory: {
    about: 'By words, and by embeddings where a model of them is configured.',
    example: { body: { query: 'how we release', maxResults: 5 } },
  },
  syncMemory: { about: 'Answers when every file is in, embeddings too.' },
  memoryStats: { about: 'What memory has of its files.' },
  listExcludedFiles: {
    about:
      'A file that the last sync skipped comes back once it is mended; one deleted by hand, when it changes.',
  },
  listMemoryFiles: { about: 'Markdown files of MEMORY_DIR that are in memory.' },
  listMemoryChunks: {
    about: 'With the lines that each comes from.',
    example: { params: { path: 'guides/release.md' } },
  },
  removeMemoryChunk: {
    about: 'For what an agent should not read again. The file stays as it is.',
    example: { params: { id: 'chunk_01KF0Q8Y3V5W7X9Z' } },
  },
  rateMemoryChunk: {
    about:
      'What was said stays until the text of the chunk changes. For a task it counts once, and the last verdict is the one that does.',
    example: {
      params: { id: 'chunk_01KF0Q8Y3V5W7X9Z' },
      body: { useful: true, taskId: 'task_01KF0Q8Y3V5W7X9Z' },
    },
  },
  listMemoryVerdicts: {
    about: 'The last verdict on each. What has none is not in the answer.',
    example: { query: { taskId: 'task_01KF0Q8Y3V5W7X9Z' } },
  },
  removeMemoryFile: {
    about: 'The file itself stays as it is.',
    example: { params: { path: 'guides/release.md' } },
  },
  clearMemory: {
    about: 'For admins. The files themselves stay as they are; a sync does not bring them back.',
  },
  memoryWatcher: { about: 'Where it does not, a sync brings memory in step.' },
  createMemorySession: {
    about: 'One of the two is needed; the conversation is one of yours.',
    example: { body: { name: 'Release work' } },
  },
  listMemorySessions: {
    about:
      'Without `status`, those that are active. Those that are tied to conversations of others are left out.',
    example: { query: { status: 'active' } },
  },
  getMemorySession: { about: 'With its state.', example: { params: { id: 'mem_01KF0Q8Y3V5W7X9Z' } } },
  archiveMemorySession: {
    about: 'It can still be read.',
    example: { params: { id: 'mem_01KF0Q8Y3V5W7X9Z' } },
  },
  warmMemory: {
    about: 'Without a query only the index is loaded.',
    example: { body: { query: 'how we release' } },
  },
  createExperience: {
    about: 'Agents find it again when they work on something alike.',
    example: {
      body: {
        type: 'task_solution',
        intent: 'Mend a failing test',
        solution: 'Read the clock in UTC',
        tags: ['tests'],
      },
    },
  },
  listExperiences: { about: 'Of one type, or of all.', example: { query: { limit: 20 } } },
  searchExperiences: { about: 'Each with a score.', example: { query: { q: 'failing test' } } },
  getExperience: { about: 'With how often it was gone by.', example: experience },
  removeExperience: { about: 'It is not found any more.', example: experience },
  useExperience: {
    about:
      'Adds one to its count, and moves its success where the body says whether it was useful. For a task that counts once, and the last verdict is the one that does.',
    example: { ...experience, body: { useful: true, taskId: 'task_01KF0Q8Y3V5W7X9Z' } },
  },

  listConversations: { about: 'Yours alone.', example: { query: { limit: 20 } } },
  createConversation: {
    about:
      'Nothing is needed: the title comes from the first message. `taskId` is that of a task that is there, else 404.',
    example: { body: { title: 'Release questions' } },
  },
  getConversation: { about: 'Messages in the order in which they were said.', example: conversation },
  renameConversation: {
    about: 'Yours alone.',
    example: { ...conversation, body: { title: 'Release questions' } },
  },
  removeConversation: { about: 'Its sessions, approvals and files go with it.', example: conversation },
  cancelTurn: { about: 'What was said and done until then is kept.', example: conversation },
  createCompletion: {
    about:
      'With `conversationId` the history goes before, and the exchange is saved. With `stream` the answer comes in pieces.',
    example: { body: said },
  },
  quickChat: {
    about: 'The shortest way to a model: nothing is stored.',
    example: { body: { prompt: 'What is a lease?' } },
  },
  smartChat: {
    about: 'Says in `context` what it gave the model besides.',
    example: { body: { ...said, taskId: 'task_01KF0Q8Y3V5W7X9Z' } },
  },
  listProviders: { about: 'Which of them have a key, and whether they answered last time.' },
  listModels: {
    about: 'As the providers list them; what one does not list may be named all the same.',
    example: { query: { provider: 'anthropic' } },
  },
  sendMessage: {
    about: 'Without tools. Both messages are saved.',
    example: { ...conversation, body: { content: 'What is a lease?' } },
  },
  sendMessageWithTools: {
    about:
      'Tools work in the conversation’s own folder. What the security mode does not allow waits for approval.',
    example: { ...conversation, body: { content: 'Which files are there?', securityMode: 'ask' } },
  },
  sendAgentic: {
    about:
      'Server-sent events of every step, thought and tool call. A reader that left can come back to the session.',
    example: { ...conversation, body: { content: 'Which files are there?', effort: 'low' } },
  },
  listAgentSessions: {
    about: 'Agentic turns of your conversations, and runs of tasks.',
    example: { query: { taskId: 'task_01KF0Q8Y3V5W7X9Z' } },
  },
  getAgentSession: { about: 'A task has one session, its attempts inside.', example: session },
  followAgentSession: {
    about: 'Begins at the first event, or after `Last-Event-ID`, and ends with the session.',
    example: session,
  },
  cancelAgentSession: { about: 'That of a task cancels the task.', example: session },
  getPolicy: { about: 'Holds for conversations and tasks of all users.' },
  changePolicy: {
    about: 'For admins. It decides on the calls that come after it.',
    example: { body: { blockedTools: ['git'], toolRateLimitPerMinute: 100 } },
  },
  listToolCalls: {
    about: 'Summaries of arguments and results, with what was decided and why.',
    example: { query: { tool: 'run_command', decision: 'denied' } },
  },
  getToolCall: { about: 'Secrets are masked.', example: { params: { id: 'tca_01KF0Q8Y3V5W7X9Z' } } },
  listApprovals: {
    about:
      'Those of your conversations and tasks; admins see those of all tasks. After ten minutes a call is denied.',
  },
  decideApproval: {
    about: '`allow-always` holds for the tool in this conversation or task. A decision counts once.',
    example: { params: { id: 'apv_01KF0Q8Y3V5W7X9Z' }, body: { decision: 'allow-once' } },
  },
  listAllowedTools: { about: 'What was allowed with `allow-always`.' },
  removeAllowedTool: {
    about: 'Calls that come after it wait for a decision.',
    example: { params: { id: 'allow_01KF0Q8Y3V5W7X9Z' } },
  },
  health: { about: 'For load balancers. Nothing is checked.' },
  readiness: { about: 'Answers 503 with what is missing until storage and queue are there.' },
  detailedHealth: { about: 'Checked when it is asked.' },
  metrics: {
    about:
      'With `Accept: text/plain` in the text form of Prometheus. Figures are of the process that answers.',
  },
  openApi: { about: 'For generators of clients, and for the reference at /docs.' },
}
