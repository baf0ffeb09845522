import { createHmac } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { openedService } from '../journeys/opened-service.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

type Answer = { requestId: string; taskId: string; status: string; result?: { output: string } }

/** A caller of a service in local mode, with a token that was made through its API. */
const createCaller = async <S extends { baseUrl: string }>(service: S) => {
  const { client, events } = connect(service.baseUrl)
  const { token } = await client.createToken({ body: { name: 'CI', scopes: ['gateway'] } })
  const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } })
  const call = (method: string, path: string, body?: unknown, bearer = token) =>
    fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...as(bearer).headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { service, client, events, token, call, asToken: as(token) }
}

const started = async (folder: string, env: Record<string, string> = {}) =>
  createCaller(await startService({ env: { DATA_DIR: folder, ...env } }))

/** Whether an attempt of a delivery is stored: until then it is leased to its process for a minute. */
const hasStoredAttempt = (file: string): boolean => {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare(`SELECT 1 FROM deliveries WHERE _head ->> 'tries' > 0`).get() !== undefined
}

describe('a program that hands in work', () => {
  it('makes a token, has a task done, asks how it stands, and is told when it has ended', async () => {
    using folder = temporaryFolder()
    await using receiver = await startReceiver()
    const { service, client, events, token, call, asToken } = await started(folder.in('data'), {
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    })
    await using _service = service
    expect(token).toMatch(/^svc_[0-9A-HJKMNP-TV-Z]{26}_[0-9a-f]{48}$/)

    const body = {
      task: { title: 'Hello', prompt: 'Write a note about this workspace' },
      workflow: 'summarize' as const,
      options: { notifyUrl: receiver.url, notifySecret: 'a secret of ours' },
    }
    const accepted = await client.submitRequest.raw({ body }, asToken)
    expect(accepted.status).toBe(202)
    const { requestId, taskId, statusUrl = '' } = (await accepted.json()) as Answer & { statusUrl?: string }

    const done = await until(async () => {
      const status = await client.requestStatus({ params: { requestId } }, asToken)
      return status.status === 'completed' ? status : undefined
    })
    expect(done).toMatchObject({
      requestId,
      taskId,
      workflow: 'summarize',
      progress: 'Collecting changes',
      result: { success: true, output: expect.stringContaining('not an AI') },
    })
    expect(await (await call('GET', statusUrl)).json()).toEqual(done)
    const log = await events(taskId)
    expect(log.find(({ type }) => type === 'started')?.metadata).toEqual({ workflow: 'summarize' })

    const heard = await until(() => receiver.heard[0])
    expect(JSON.parse(heard.body)).toMatchObject({
      event: 'task.completed',
      requestId,
      payload: { id: taskId, title: 'Hello', result: done.result },
    })
    const hmac = createHmac('sha256', 'a secret of ours').update(heard.body).digest('hex')
    expect(heard.headers['x-svc-signature']).toBe(`sha256=${hmac}`)
    expect(receiver.heard).toHaveLength(1)

    const answered = await client.submitRequest.raw(
      { body: { task: { title: 'And now' }, options: { synchronous: true } } },
      asToken,
    )
    expect(answered.status).toBe(200)
    expect(await answered.json()).toMatchObject({ status: 'completed', result: { success: true } })

    const { tokens } = await client.listTokens()
    expect(tokens).toMatchObject([{ name: 'CI', userId: 'local', lastUsedAt: expect.any(String) }])
    await client.revokeToken({ params: { id: tokens[0]?.id ?? '' } })
    expect((await call('POST', '/api/gateway', body)).status).toBe(401)
    expect((await call('GET', statusUrl)).status).toBe(401)
    expect(service.output()).not.toContain(token)
  })

  it('gets the end although the service was killed before it could send it', async () => {
    using folder = temporaryFolder()
    await using receiver = await startReceiver((response) => response.writeHead(503).end())
    const env = { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRY_DELAYS_MS: '3000,3000,60000,60000,60000' }
    const first = await started(folder.in('data'), env)
    const body = { task: { title: 'Hello' }, options: { notifyUrl: receiver.url, notifySecret: 's' } }
    const { requestId } = await first.client.submitRequest({ body }, first.asToken)
    await until(() => hasStoredAttempt(folder.in('data', 'service.db')) || undefined)
    await first.service.kill9()
    receiver.answer = (response) => response.writeHead(204).end()
    const before = receiver.heard.length

    await using again = await startService({ env: { DATA_DIR: folder.in('data'), ...env } })
    const taken = await until(() => receiver.heard[before])
    expect(JSON.parse(taken.body)).toMatchObject({ event: 'task.completed', requestId })
    expect(new Set(receiver.heard.map((one) => one.body)).size).toBe(1)
    const { client } = connect(again.baseUrl)
    expect(await client.requestStatus({ params: { requestId } }, first.asToken)).toMatchObject({
      status: 'completed',
    })
  })

  it('has its answer when the service is asked to end while it waits', async () => {
    using folder = temporaryFolder()
    const { service, client, call } = await started(folder.in('data'), {
      AGENT_ADAPTERS: 'test/fixtures/agents/scripted.ts',
      DEFAULT_AGENT: 'scripted',
    })
    await using _service = service
    const task = { title: 'T', metadata: { runMs: 2_000 } }
    const waiting = call('POST', '/api/gateway', { task, options: { synchronous: true } })
    await until(async () => (await client.queueStatus()).queues.tasks.inProgress || undefined)
    service.kill('SIGTERM')
    const answer = await waiting
    expect(answer.status).toBe(202)
    expect(await answer.json()).toMatchObject({ status: 'in_progress' })
    expect((await service.exited).code).toBe(0)
  })
})

describe('a program with a token', () => {
  const service = openedService()

  it('needs a token of its own kind, with the scope, and may be nothing else with it', async () => {
    const { client, token, call } = await createCaller(service())
    const body = { task: { title: 'T' } }
    const ask = async (path: string, bearer: string) => {
      const answer = await call('POST', path, body, bearer)
      return [answer.status, ((await answer.json()) as { code: string }).code]
    }
    const open = await fetch(`${service().baseUrl}/api/gateway`, { method: 'POST' })
    expect([open.status, ((await open.json()) as { code: string }).code]).toEqual([401, 'token_required'])
    expect(await ask('/api/gateway', `${token.slice(0, -1)}x`)).toEqual([401, 'invalid_token'])
    const other = await client.createToken({ body: { name: 'hooks', scopes: ['webhooks'] } })
    expect(await ask('/api/gateway', other.token)).toEqual([403, 'scope_missing'])
    expect(await ask('/api/tasks', token)).toEqual([401, 'invalid_token'])
    expect(await ask('/api/tokens', token)).toEqual([401, 'invalid_token'])
  })
})
