import { describe, expect, it } from '@jest/globals'
import { type UserRow, users } from '../../lib/accounts/rows.ts'
import { approvalMessage } from '../../lib/alerts/message.ts'
import { pushSubscriptions } from '../../lib/alerts/rows.ts'
import type { Approval, ApprovalRequest } from '../../lib/approvals/schema.ts'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { ANN, BOB, until } from '../fakes/service.ts'
import { startPushService } from './push-receiver.ts'

const started = async (env: Record<string, string> = {}) => {
  const agent = createFakeAgent(async ({ title }) => {
    if (title === 'Fail') throw new Error('It broke')
    return { success: true, output: 'All is well' }
  })
  const api = await startApi({
    adapters: [agent],
    env: { QUEUE_RETRY_ATTEMPTS: '1', OUTBOUND_ALLOW_HOSTS: '127.0.0.1', AUTH_MODE: 'cloud', ...env },
    background: true,
  })
  for (const { userId: id } of [ANN, BOB]) {
    const row: UserRow = { id, email: `${id}@example.org`, name: id, role: 'user', disabled: false }
    await api.service.store.commit<UserRow>({ insert: users, row })
  }
  return api
}
type Api = Awaited<ReturnType<typeof started>>

/** Subscribes a browser in a new session of the user. */
const subscribe = async (api: Api, body: object, as = ANN) => {
  const { sessionId } = await api.service.sessions.open(as.userId)
  const answer = await api.call('POST /api/alerts/subscriptions', { body, as: { ...as, sessionId } })
  return { ...answer, sessionId }
}

const call: ApprovalRequest = {
  ...{ tool: 'write_file', risk: 'write', title: 'write_file a.txt', mode: 'ask' },
  ...{ userId: ANN.userId, taskId: 'task_1', arguments: { path: 'a.txt' } },
}

describe('messages to a browser', () => {
  it('tell of results and of calls that wait, encrypted, and identify the service by a key that stays', async () => {
    await using push = await startPushService()
    await using api = await started()
    const { publicKey } = (await api.call('GET /api/alerts')).body
    const { body, status } = await subscribe(api, push.subscription())
    expect([status, body.subscription.topics]).toEqual([201, ['approvals', 'results']])
    const { id } = await api.service.run({ title: 'Write it' })
    await until(() => push.messages.length === 1)
    await api.service.run({ title: 'Fail' })
    await until(() => push.messages.length === 2)
    await api.service.approvals.ask(call)
    await until(() => push.messages.length === 3)
    expect(push.messages).toMatchObject([
      { title: 'Completed: Write it', body: 'All is well', url: `/tasks/${id}` },
      { title: 'Failed: Fail', body: expect.stringContaining('It broke') },
      {
        body: 'write_file\npath: a.txt',
        decides: 'allow or deny',
        url: expect.stringContaining('/inbox?item='),
      },
    ])
    expect(push.heads[0]).toMatchObject({
      authorization: expect.stringContaining(`k=${publicKey}`),
      'content-encoding': 'aes128gcm',
      ttl: '86400',
    })
    expect((await api.call('GET /api/alerts')).body.publicKey).toBe(publicKey)
    const row = await api.service.store.get(pushSubscriptions, body.subscription.id)
    expect(JSON.stringify(row)).not.toContain('/browser')
  })

  it('are for the user alone who subscribed, and of the topics that were chosen', async () => {
    await using push = await startPushService()
    await using api = await started()
    await subscribe(api, { ...push.subscription('bob'), topics: ['results'] }, BOB)
    await subscribe(api, { ...push.subscription('ann'), topics: ['approvals'] })
    await api.service.run({ title: 'Of Ann' })
    await api.service.approvals.ask(call)
    await until(() => push.messages.length === 1)
    expect(push.heads.map(({ url }) => url)).toEqual(['/ann'])
  })

  it('are not sent about a call that was decided before, and not to a browser that is gone', async () => {
    await using push = await startPushService()
    await using api = await started()
    await subscribe(api, push.subscription())
    push.status = 503
    const { approvalId = '' } = await api.service.approvals.ask(call)
    await until(() => push.heads.length === 1)
    await api.service.approvals.decide(ANN, approvalId, 'deny')
    push.status = 201
    await api.service.pass(60_000)
    expect(push.messages).toEqual([])
    push.status = 410
    await api.service.run({ title: 'Late' })
    await until(async () => (await api.call('GET /api/alerts')).body.subscriptions.length === 0)
  })

  it('are tried at once by a test, and end with the removal of the browser', async () => {
    await using push = await startPushService()
    await using api = await started()
    const { id } = (await subscribe(api, push.subscription())).body.subscription
    expect((await api.call(`POST /api/alerts/subscriptions/${id}/test`)).body).toMatchObject({
      delivered: true,
      statusCode: 201,
    })
    await api.call(`DELETE /api/alerts/subscriptions/${id}`)
    const { id: taskId } = await api.service.run({ title: 'Unheard' })
    expect((await api.service.tasks.find(taskId))?.status).toBe('completed')
    expect(push.messages).toHaveLength(1)
  })

  it.each([
    ['a private address', 'http://10.0.0.1/push', '400 url_refused'],
    ['this machine, where it is not allowed', 'http://127.0.0.1:9/push', '400 url_refused'],
    ['a name of this machine', 'http://localhost/push', '400 url_refused'],
  ])('are not sent to %s', async (_what, endpoint, refusal) => {
    await using push = await startPushService()
    await using api = await started({ OUTBOUND_ALLOW_HOSTS: '' })
    const { status, body } = await subscribe(api, { ...push.subscription(), endpoint })
    expect(`${status} ${body.code}`).toBe(refusal)
  })

  it('go to at most 20 browsers of a user', async () => {
    await using push = await startPushService()
    await using api = await started()
    for (let n = 0; n < 20; n++) await subscribe(api, push.subscription(`b${n}`))
    expect((await subscribe(api, push.subscription('more'))).body.code).toBe('too_many_push_subscriptions')
    expect((await subscribe(api, push.subscription('b0'))).status).toBe(201)
  })
})

describe('a subscribed browser', () => {
  const isGone = async (api: Api, id: string) =>
    (await api.service.store.get(pushSubscriptions, id)) === undefined

  it.each<[string, (api: Api, sessionId: string) => Promise<unknown>]>([
    ['whose session was ended', ({ service }, sessionId) => service.sessions.close(sessionId)],
    [
      'whose user is disabled',
      ({ service: { store } }) =>
        store.commit<UserRow>({ update: users, key: ANN.userId, set: { disabled: true } }),
    ],
  ])('%s is sent nothing any more, and is removed', async (_which, end) => {
    await using push = await startPushService()
    await using api = await started()
    const { body, sessionId } = await subscribe(api, push.subscription())
    await end(api, sessionId)
    await api.service.create({ title: 'Secret' })
    await until(() => isGone(api, body.subscription.id))
    expect(push.heads).toEqual([])
  })

  it('whose session was ended is in no list', async () => {
    await using push = await startPushService()
    await using api = await started()
    const { sessionId } = await subscribe(api, push.subscription('ended'))
    const { body } = await subscribe(api, push.subscription('other'))
    await api.service.sessions.close(sessionId)
    const { subscriptions } = (await api.call('GET /api/alerts')).body
    expect(subscriptions).toEqual([body.subscription])
  })

  it('without a session gets messages while the service has no sign-in', async () => {
    await using push = await startPushService()
    await using api = await started({ AUTH_MODE: 'local' })
    const made = await api.call('POST /api/alerts/subscriptions', {
      body: push.subscription(),
      as: LOCAL_ADMIN,
    })
    await api.service.create({ title: 'Open' }, LOCAL_ADMIN)
    await until(() => push.messages.length === 1)
    await api.service.accessKey.change(LOCAL_ADMIN, 'correct horse battery')
    await api.service.create({ title: 'Secret' }, LOCAL_ADMIN)
    await until(() => isGone(api, made.body.subscription.id))
    expect(push.messages).toHaveLength(1)
  })
})

describe('a message about a call', () => {
  const message = (params: object, more: Partial<Approval> = {}) =>
    approvalMessage({ id: 'apv_1', title: 'A title', toolName: 'git', params, ...more } as Approval).decides

  it.each<[string, object, string]>([
    ['short', { args: ['status'] }, 'allow or deny'],
    ['longer than systems show', { content: 'x'.repeat(120) }, 'deny'],
    ['of many lines', { content: 'a\nb\nc' }, 'deny'],
    ['with text in another direction', { path: 'a\u202eb' }, 'deny'],
    ['with a control character', { path: 'a\rb' }, 'deny'],
  ])('that is %s offers what the person can judge there', (_what, params, decides) => {
    expect(message(params)).toBe(decides)
  })
})
