import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { agentSessions } from '../../lib/agentic/rows.ts'
import { pushSubscriptions } from '../../lib/alerts/rows.ts'
import { routes } from '../../lib/api/routes.ts'
import { allowedTools, approvals } from '../../lib/approvals/rows.ts'
import { phoneLinks, sessions } from '../../lib/auth/rows.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { pairings } from '../../lib/devices/rows.ts'
import { gatewayRequests } from '../../lib/gateway/rows.ts'
import type { Route } from '../../lib/http/route.ts'
import { toolCalls } from '../../lib/security/rows.ts'
import { tokenRows } from '../../lib/tokens/rows.ts'
import { type StartedApi, startApi } from '../fakes/caller.ts'
import { ANN, BOB } from '../fakes/service.ts'
import { exampleBody } from './example-call.ts'

const ROOT: Principal = { userId: 'user_root', role: 'admin' }

/** What an id in a request names, and the fields of requests that hold such an id. */
const FIELDS = {
  conversation: [
    ...['getConversation', 'renameConversation', 'removeConversation', 'cancelTurn'].map(inPath),
    ...['sendMessage', 'sendMessageWithTools', 'sendAgentic'].map(inPath),
    'createCompletion body.conversationId',
    'smartChat body.conversationId',
    'createMemorySession body.conversationId',
    'listMemorySessions query.conversationId',
    'warmMemory body.conversationId',
    'createExperience body.sourceConversationId',
    'listAgentSessions query.conversationId',
    'listToolCalls query.conversationId',
  ],
  memorySession: ['getMemorySession', 'archiveMemorySession'].map(inPath),
  agentSession: ['getAgentSession', 'followAgentSession', 'cancelAgentSession'].map(inPath),
  approval: ['decideApproval'].map(inPath),
  allowedTool: ['removeAllowedTool'].map(inPath),
  browser: ['deletePushSubscription', 'testPushSubscription'].map(inPath),
  toolCall: ['getToolCall'].map(inPath),
  session: ['endSession'].map(inPath),
  phoneLink: ['getPhoneLink'].map(inPath),
  device: ['revokePairedDevice'].map(inPath),
  token: ['revokeToken'].map(inPath),
  request: ['requestStatus params.requestId'],
  /** Of the whole installation: every user may read and change it. */
  installation: [
    ...['getTask', 'cancelTask', 'retryTask', 'taskEvents', 'retryDlqItem', 'discardDlqItem'].map(inPath),
    ...['replyToTask', 'getThread', 'taskAttempts', 'getAttempt'].map(inPath),
    'getAttempt params.attemptId',
    ...['getBulk', 'cancelBulk', 'readNotification'].map(inPath),
    ...['bulkTasks body.ids', 'bulkDlq body.ids'],
    ...['getWebhook', 'changeWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook'].map(inPath),
    ...['resumeWebhook', 'recoverWebhook', 'listWebhookDeliveries', 'redeliver'].map(inPath),
    'redeliver params.deliveryId',
    ...['getSchedule', 'changeSchedule', 'deleteSchedule', 'runSchedule'].map(inPath),
    ...['removeMemoryChunk', 'rateMemoryChunk', 'getExperience', 'removeExperience', 'useExperience'].map(
      inPath,
    ),
    ...['rateMemoryChunk body.taskId', 'useExperience body.taskId', 'listMemoryVerdicts query.taskId'],
    ...['listConversations query.taskId', 'createConversation body.taskId', 'createCompletion body.taskId'],
    ...['smartChat body.taskId', 'listAgentSessions query.taskId', 'listToolCalls query.taskId'],
  ],
  /** Routes for admins only. */
  admins: [
    ...['deleteInvite', 'removeHold', 'changeUser', 'createResetCode'].map(inPath),
    ...['drainRunner', 'removeRunner'].map(inPath),
    'listAudit query.userId',
  ],
  /** Of a runner, and of its claims: its token and the fencing token decide. */
  runner: [
    ...['claimTask', 'renewClaim', 'reportRun', 'pauseClaim', 'resumeClaim', 'askApproval'].map(inPath),
    ...['approvalState', 'guideRun', 'recallForRun', 'endClaim'].map(inPath),
    ...['renewClaim', 'reportRun', 'pauseClaim', 'resumeClaim', 'askApproval', 'approvalState'].map(ofClaim),
    ...['guideRun', 'recallForRun', 'endClaim'].map(ofClaim),
    ...[
      'claimTask body.running.taskId',
      'approvalState params.approvalId',
      'pauseClaim body.approvals.approvalId',
    ],
    ...[
      'pauseClaim body.approvals.toolCallId',
      'askApproval body.requestId',
      'reportRun body.events.id',
      'reportRun body.progress.id',
    ],
    ...[
      'reportRun body.toolCalls.id',
      'reportRun body.toolCalls.callId',
      'reportRun body.toolCalls.approvalId',
    ],
    ...['endClaim body.end.approvals.approvalId', 'endClaim body.end.approvals.toolCallId'],
  ],
  /** At a provider, where it is read with the account that the caller linked; or a name that a caller chose. */
  elsewhere: [
    ...['createTask body.sourceId', 'submitRequest body.task.sourceId', 'createSchedule body.task.sourceId'],
    ...['changeSchedule body.task.sourceId', 'listConversations query.ticketId'],
    ...['createConversation body.ticketId', 'createCompletion body.ticketId', 'smartChat body.ticketId'],
    'requestPairing body.requesterId',
  ],
  /** The id itself is the secret that admits its caller. */
  secret: ['getPairingStatus params.requestId'],
  /** Narrows a list that has only what the caller may read. */
  filter: ['listToolCalls query.userId', 'listToolCalls query.callId'],
} as const satisfies Record<string, readonly string[]>
type Kind = keyof typeof FIELDS

function inPath(operation: string) {
  return `${operation} params.id`
}

function ofClaim(operation: string) {
  return `${operation} params.taskId`
}

const NOT_OWNED: readonly Kind[] = ['installation', 'admins', 'runner', 'elsewhere', 'secret', 'filter']
/** What admins may read or end although it is of another user. */
const OPEN_TO_ADMINS: readonly Kind[] = ['toolCall', 'token', 'device']

const IS_ID = /^(?:id|ids|\w+Ids?)$/
type Schema = { properties?: Record<string, Schema>; $ref?: string; items?: Schema; anyOf?: Schema[] }

/** The fields of a route that hold ids, from its schemas. */
const idsIn = ([operation, route]: [string, Route]): string[] =>
  (['params', 'query', 'body', 'headers'] as const).flatMap((part) => {
    const schema = route[part]
    if (schema === undefined) return []
    const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema & {
      $defs?: Record<string, Schema>
    }
    const within = (given: Schema, path: string): string[] => {
      const {
        properties = {},
        items,
        anyOf = [],
      } = given.$ref ? (root.$defs?.[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given
      return [
        ...Object.entries(properties).flatMap(([name, inner]) => [
          ...(IS_ID.test(name) ? [`${path}.${name}`] : []),
          ...within(inner, `${path}.${name}`),
        ]),
        ...[...(items ? [items] : []), ...anyOf].flatMap((inner) => within(inner, path)),
      ]
    }
    return within(root, part).map((place) => `${operation} ${place}`)
  })

const requestWithId = (field: string, id: string): [request: string, body: object | undefined] => {
  const [operation = '', place = ''] = field.split(' ')
  const [part = '', name = ''] = place.split('.')
  const route = (routes as Record<string, Route>)[operation] as Route
  const { method, path } = route
  const body = exampleBody(route)
  if (part === 'body') return [`${method} ${path}`, { ...body, [name]: id }]
  const filled = path.replace(`{${name}}`, encodeURIComponent(id))
  return [`${method} ${filled}${part === 'query' ? `?${name}=${encodeURIComponent(id)}` : ''}`, body]
}

describe('ids in requests', () => {
  it('are all in the table: add the field of a new route to what its id names', () => {
    const found = Object.entries<Route>(routes).flatMap(idsIn)
    expect(Object.values(FIELDS).flat().toSorted()).toEqual(found.toSorted())
  })
})

describe('an id that names what belongs to another user', () => {
  let api: StartedApi
  const ids = {} as Record<Kind, string>
  beforeAll(async () => {
    api = await startApi()
    const { call, service } = api
    const { store, clock } = service
    const { userId } = ANN
    const expiresAt = clock.now() + 86_400_000
    const createdAt = new Date(clock.now()).toISOString()
    const made = await call('POST /api/chat/conversations', { body: { title: 'Of Ann' } })
    const conversationId: string = made.body.conversation.id
    const tied = await call('POST /api/memory/sessions', { body: { conversationId } })
    const call_ = {
      conversationId,
      userId,
      tool: 'git',
      arguments: {},
      result: '',
      mode: 'ask',
      durationMs: 1,
    }
    const rows = [
      {
        insert: agentSessions,
        row: {
          id: 'sess_1',
          status: 'running',
          conversationId,
          userId,
          provider: 'p',
          model: 'm',
          createdAt,
          expiresAt,
        },
      },
      {
        insert: approvals,
        row: {
          id: 'apv_1',
          conversationId,
          userId,
          toolName: 'git',
          securityLevel: 'write',
          params: {},
          requestedAt: createdAt,
          expiresAt: new Date(expiresAt).toISOString(),
          status: 'pending',
          scope: 's',
          binding: 'b',
          removeAt: expiresAt,
        },
      },
      {
        insert: allowedTools,
        row: {
          scope: 's',
          toolName: 'git',
          userId,
          conversationId,
          approvalId: 'apv_2',
          allowedAt: createdAt,
          expiresAt,
        },
      },
      {
        insert: toolCalls,
        row: {
          id: 'tca_1',
          ...call_,
          callId: 'c',
          decision: 'allowed',
          failed: false,
          timestamp: createdAt,
          argumentsSummary: '',
          resultSummary: '',
          sessionId: conversationId,
          expiresAt,
        },
      },
      {
        insert: pushSubscriptions,
        row: { id: 'psh_1', userId, device: 'd', topics: ['results'], createdAt, sealed: '', service: '' },
      },
      { insert: sessions, row: { id: 'hash', userId, createdAt, expiresAt } },
      {
        insert: phoneLinks,
        row: { id: 'hash', userId, sessionId: 'hash', expiresAt, keptUntil: expiresAt },
      },
      {
        insert: tokenRows,
        row: { id: 'tok_1', name: 'CI', userId, scopes: ['gateway'], createdAt, hash: 'h' },
      },
      {
        insert: gatewayRequests,
        row: { id: 'gw_1', taskId: 'task_1', userId, tokenId: 'tok_1', workflow: 'custom', createdAt },
      },
      {
        insert: pairings,
        row: {
          id: 'dev_1',
          requesterId: 'tablet',
          status: 'approved',
          createdAt,
          approvedAt: createdAt,
          approvedBy: userId,
          expiresAt: createdAt,
          address: '::1',
          place: '1',
          keptUntil: expiresAt,
        },
      },
    ]
    for (const row of rows) await store.commit(row as never)
    Object.assign(ids, {
      conversation: conversationId,
      memorySession: tied.body.session.id,
      agentSession: 'sess_1',
      approval: 'apv_1',
      allowedTool: 'apv_2',
      browser: 'psh_1',
      toolCall: 'tca_1',
      session: 'session_hash',
      phoneLink: 'phone_hash',
      device: 'dev_1',
      token: 'tok_1',
      request: 'gw_1',
    })
  })
  afterAll(() => api[Symbol.asyncDispose]())

  const attempts = (Object.keys(FIELDS) as Kind[])
    .filter((kind) => !NOT_OWNED.includes(kind))
    .flatMap((kind) => FIELDS[kind].map((field): [string, Kind] => [field, kind]))

  it.each(attempts)('is as one that does not exist: %s', async (field, kind) => {
    const callers = [
      BOB,
      ...(OPEN_TO_ADMINS.includes(kind) || field.startsWith('listToolCalls') ? [] : [ROOT]),
    ]
    for (const as of callers) {
      const answers = []
      for (const id of [ids[kind], `${ids[kind]}0`]) {
        const [request, body] = requestWithId(field, id)
        const answer = await api.call(request, { as, ...(body ? { body } : {}) })
        const { requestId: _, ...said } = answer.body
        answers.push([answer.status, said])
      }
      expect(answers[0]).toMatchObject([404, { code: expect.stringMatching(/_not_found$/) }])
      expect(answers[0]).toEqual(answers[1])
    }
  })

  const reads = attempts.filter(([field]) => /^(?:get|list|warm|createMemory|createExperience)/.test(field))
  it.each(reads)('is there for its owner: %s', async (field, kind) => {
    const [request, body] = requestWithId(field, ids[kind])
    const { status } = await api.call(request, body ? { body } : {})
    expect([200, 201]).toContain(status)
  })
})
