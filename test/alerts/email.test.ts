import { describe, expect, it } from '@jest/globals'
import { registrations, users } from '../../lib/accounts/rows.ts'
import { emailAbout } from '../../lib/alerts/email-text.ts'
import { resultMessage } from '../../lib/alerts/message.ts'
import { emailAlerts } from '../../lib/alerts/rows.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { ANN, BOB, turns } from '../fakes/service.ts'
import { startMailServer } from './mail-server.ts'

const SMTP = { SMTP_FROM: 'Agent Tasks <tasks@example.com>', PUBLIC_URL: 'https://tasks.example.com' }

const started = async (url: string, more: Record<string, string> = {}) => {
  const agent = createFakeAgent(async ({ title }) => {
    if (title.startsWith('Fail')) throw new Error('It broke')
    return { success: true, output: 'All is well' }
  })
  const api = await startApi({
    adapters: [agent],
    env: { QUEUE_RETRY_ATTEMPTS: '1', AUTH_MODE: 'cloud', ...SMTP, SMTP_URL: url, ...more },
    background: true,
  })
  for (const { userId } of [ANN, BOB]) {
    const row = { email: `${userId}@example.org`, name: userId, role: 'user' as const }
    const createdAt = '2026-01-01T00:00:00.000Z'
    await api.service.store.commit({
      insert: users,
      row: { id: userId, ...row, disabled: false, createdAt },
    })
    await api.service.store.commit({
      insert: registrations,
      row: { userId, shownEmail: row.email, emailVerified: userId === ANN.userId, createdAt, ...row },
    })
  }
  return api
}
type Api = Awaited<ReturnType<typeof started>>

const turnOn = (api: Api, topics = ['approvals', 'results'], as: Principal = ANN) =>
  api.call('PUT /api/alerts/email', { body: { topics }, as })

const ask = ({ service }: Api, title = 'write_file a.txt') =>
  service.approvals.ask({
    ...{ tool: 'write_file', risk: 'write', title, mode: 'ask' },
    ...{ userId: ANN.userId, taskId: 'task_1', arguments: { path: 'secret.txt' } },
  })

/** Lets notices be handled, and what is being sent be answered. */
const rest = async ({ service }: Api) => {
  await turns(50)
  await service.deliveries.settled()
}

/** The subject of a message, in one line. */
const subjectIn = (head: string) =>
  (/^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(head)?.[1] ?? '').replaceAll(/\r\n[ \t]+/g, ' ')

describe('messages by email', () => {
  it('tell of a call that waits: to the address of the account, with a link to the page, and no arguments', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    const { body } = await turnOn(api)
    expect(body.email).toEqual({ address: 'user_ann@example.org', topics: ['approvals', 'results'] })
    const { approvalId } = await ask(api)
    await server.received(1)
    const [mail] = server.mails
    expect(mail?.to).toEqual(['user_ann@example.org'])
    expect(mail?.head).toContain('From: Agent Tasks <tasks@example.com>')
    expect(subjectIn(mail?.head ?? '')).toBe('Approval needed: write_file')
    expect(mail?.body).toContain(`https://tasks.example.com/inbox?item=approval:${approvalId}`)
    expect(mail?.body).not.toContain('secret.txt')
  })

  it('are not sent to a user who did not turn them on, and not of a topic that was not chosen', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    await turnOn(api, ['results'], BOB)
    await ask(api)
    await turnOn(api, ['results'])
    await ask(api)
    await api.service.run({ title: 'Write it' })
    await server.received(1)
    await api.service.run({ title: 'Waits for its minute' })
    await rest(api)
    await turnOn(api, [])
    await api.service.pass(120_000)
    await api.service.run({ title: 'Unheard' })
    await rest(api)
    expect(server.mails.map(({ to, head }) => [...to, subjectIn(head)])).toEqual([
      ['user_ann@example.org', 'Completed: Write it'],
    ])
  })

  it('have no header that a title wrote, and no secret', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    await turnOn(api)
    await api.service.run({
      title: 'Hello\r\nBcc: eve@example.net\r\n\r\nInjected Bearer 0123456789abcdef0123',
    })
    await server.received(1)
    const [mail] = server.mails
    expect(mail?.to).toEqual(['user_ann@example.org'])
    expect(mail?.head).not.toMatch(/^Bcc:/m)
    expect(mail?.body).not.toMatch(/^Injected/m)
    expect(subjectIn(mail?.head ?? '')).toBe('Completed: Hello Bcc: eve@example.net Injected Bearer [masked]')
  })

  it('tell what a result cost', () => {
    const told = {
      id: 'task_1',
      title: 'Write',
      status: 'completed',
      cost: { usd: 0.42, source: 'provider' },
    }
    const { text } = emailAbout([{ task: told as Task }], {
      baseUrl: '',
      masked: (one) => one,
      hasMore: false,
    })
    expect(text).toMatch(/^Your task “Write” is complete\. It cost \$0\.42\.$/m)
  })

  it('tell what a task asks, in an email and in a browser', () => {
    const question = { text: 'Which database?', options: ['SQLite'] }
    const told = { id: 'task_1', title: 'Store it', status: 'completed', question } as Task
    const means = { baseUrl: '', masked: (one: string) => one, hasMore: false }
    const { subject, text } = emailAbout([{ task: told }], means)
    expect([subject, text.split('\n')[0]]).toEqual([
      'Question: Store it',
      'Your task “Store it” asks: Which database?',
    ])
    const both = emailAbout([{ task: told }, { task: { ...told, question: undefined } }], means)
    expect(both.subject).toBe('1 question, 1 task completed')
    expect(resultMessage(told, means.masked)).toMatchObject({
      title: 'Question: Store it',
      body: 'Which database?',
    })
  })

  it('tell of fifty things at most, and that the inbox has more', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    await turnOn(api)
    for (let n = 0; n < 53; n += 1) await api.service.run({ title: `Fail ${n}` })
    await rest(api)
    // What waits is bounded as well.
    expect((await api.service.store.get(emailAlerts, ANN.userId))?.waiting).toHaveLength(50)
    await api.service.pass(90_000, 10_000)
    await server.received(2)
    const [, later] = server.mails
    expect(subjectIn(later?.head ?? '')).toBe('50 tasks failed, and more')
    expect(later?.body.match(/https:\/\/tasks.example.com\/tasks\//g)).toHaveLength(50)
    expect(later?.body).toContain('There is more in your inbox: https://tasks.example.com/inbox')
  })

  it('are one a minute: many failures are one message', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    await turnOn(api)
    for (const n of [1, 2, 3, 4, 5]) await api.service.run({ title: `Fail ${n}` })
    await server.received(1)
    await rest(api)
    await api.service.pass(90_000, 10_000)
    await server.received(2)
    const [, later] = server.mails
    expect(subjectIn(later?.head ?? '')).toBe('4 tasks failed')
    expect(later?.body.match(/https:\/\/tasks.example.com\/tasks\//g)).toHaveLength(4)
    await api.service.pass(120_000, 10_000)
    await rest(api)
    expect(server.mails).toHaveLength(2)
    for (const n of [6, 7]) await api.service.run({ title: `Fail ${n}` })
    await rest(api)
    await api.service.pass(90_000, 10_000)
    await server.received(4)
    expect(server.mails.slice(2).map(({ head }) => subjectIn(head))).toEqual([
      'Failed: Fail 6',
      'Failed: Fail 7',
    ])
  })

  it('harm nothing while the mail server is away, which is logged once, and come when it is back', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    await turnOn(api)
    server.code = 451
    const tasks = [await api.service.run({ title: 'First' }), await api.service.run({ title: 'Second' })]
    await rest(api)
    await api.service.pass(90_000, 10_000)
    await rest(api)
    for (const { id } of tasks) expect((await api.service.tasks.find(id))?.status).toBe('completed')
    const warnings = api.service.log.entries.filter(({ message }) => message.startsWith('emails are not'))
    expect(warnings).toMatchObject([
      {
        level: 'warn',
        message: expect.stringContaining('check SMTP_URL'),
        fields: { reason: expect.any(String) },
      },
    ])
    server.code = 0
    for (let minutes = 0; minutes < 40 && server.mails.length === 0; minutes++) {
      await api.service.pass(60_000, 10_000)
      await rest(api)
    }
    await server.received(1)
    expect(server.mails.map(({ body }) => body).join()).toMatch(/First.*Second|Second.*First/s)
  })

  it('are tried at once by a test, which says what the server answered', async () => {
    await using server = await startMailServer()
    await using api = await started(server.url)
    expect((await api.call('POST /api/alerts/email/test')).body).toEqual({ delivered: true })
    server.code = 550
    expect((await api.call('POST /api/alerts/email/test')).body).toEqual({ delivered: false })
    server.code = 451
    expect(await api.call('POST /api/alerts/email/test')).toMatchObject({
      status: 503,
      body: { code: 'email_failed' },
    })
    await server.stop()
    expect((await api.call('POST /api/alerts/email/test')).status).toBe(503)
    expect(server.mails).toHaveLength(1)
    await api.call('POST /api/alerts/email/test')
    expect((await api.call('POST /api/alerts/email/test')).status).toBe(429)
  })

  it('need a mail server, and an address that is verified where everyone may register', async () => {
    await using server = await startMailServer()
    await using open = await started(server.url, { REGISTRATION_MODE: 'open' })
    expect((await turnOn(open)).status).toBe(200)
    expect((await turnOn(open, ['results'], BOB)).body.code).toBe('email_not_available')
    expect((await open.call('GET /api/alerts', { as: BOB })).body.email).toEqual({ topics: [] })
    await using without = await startApi({ env: { AUTH_MODE: 'cloud' } })
    expect((await without.call('GET /api/alerts')).body.email).toBeUndefined()
    expect((await without.call('PUT /api/alerts/email', { body: { topics: ['results'] } })).status).toBe(400)
  })
})
