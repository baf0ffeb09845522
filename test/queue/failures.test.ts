import { describe, expect, it } from '@jest/globals'
import { failureFingerprint, foldedMessage } from '../../lib/core/failure-group.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, startDomains, turns, until } from '../fakes/service.ts'

const HOUR_MS = 3_600_000

/** A service whose tasks fail with their own prompt, at once and for good, until `mend`. */
const failing = async () => {
  let isMended = false
  const agent = createFakeAgent(async ({ prompt }) => {
    if (isMended) return { success: true, output: '' }
    throw new Error(prompt)
  })
  const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
  const fail = async (message: string) => {
    const { id } = await service.create({ prompt: message })
    await service.reaches(id, 'failed')
    await turns()
    return id
  }
  return { service, call: createCaller(service), fail, mend: () => (isMended = true) }
}

describe('the message of a failure, folded', () => {
  it.each([
    ['Timeout after 1,200.5ms at attempt 3', 'Timeout after <n>ms at attempt <n>'],
    ["can't open '/etc/x y': it isn't there", "can't open <text>: it isn't there"],
    ['exit "a 1" and `b`', 'exit <text> and <text>'],
    ['commit 3f2a9bc in src/a/b.ts:12:4', 'commit <hex> in <path>'],
    ['at 0x1F, C:\\tmp\\b.txt is gone', 'at <hex>, <path> is gone'],
    ['task_01KDWPVNG00000000000000005 not found', '<id> not found'],
    ['123e4567-e89b-12d3-a456-426614174000\n  again', '<id> again'],
    ['https://host/v1?a=b said no', '<url> said no'],
    ['a defaced facade', 'a defaced facade'],
  ])('%s', (message, folded) => {
    expect(foldedMessage(message)).toBe(folded)
    expect(foldedMessage(folded)).toBe(folded)
  })

  it('makes a group with the code and the agent', () => {
    const one = { code: 'agent_failed', message: 'exit 1', agent: 'a' }
    expect(failureFingerprint({ ...one, message: 'exit 255' })).toBe(failureFingerprint(one))
    for (const other of [{ code: 'timeout' }, { agent: 'b' }, { message: 'exited 1' }])
      expect(failureFingerprint({ ...one, ...other })).not.toBe(failureFingerprint(one))
  })
})

describe('GET /api/failures', () => {
  it('groups failures by their cause, with numbers of the time asked for', async () => {
    const { service, call, fail } = await failing()
    await fail('disk /a is full: 12 MB')
    service.clock.advance(5 * HOUR_MS)
    const twice = [await fail('disk /b is full: 13 MB'), await fail('disk /c is full: 14 MB')]
    const other = await fail('no such model')
    const { failures, total, bucketMs, since } = (await call('GET /api/failures')).body

    expect({ total, bucketMs }).toEqual({ total: 2, bucketMs: 6 * HOUR_MS })
    const [first, second] = failures
    expect(first).toMatchObject({
      message: 'disk … is full: <n> MB',
      lastMessage: 'disk … is full: 14 MB',
      agent: 'test-agent',
      count: 3,
      pending: 3,
    })
    expect(first.taskIds.slice(0, 2).toSorted()).toEqual(twice.toSorted())
    expect(Date.parse(first.lastSeen) - Date.parse(first.firstSeen)).toBe(5 * HOUR_MS)
    expect(second).toMatchObject({ message: 'no such model', count: 1, taskIds: [other], muted: false })
    expect(first.spark.reduce((sum: number, n: number) => sum + n, 0)).toBe(3)
    expect(Date.parse(since) + first.spark.length * bucketMs).toBeGreaterThan(service.clock.now())

    const recent = new Date(service.clock.now() - HOUR_MS).toISOString()
    const lately = (await call(`GET /api/failures?since=${recent}`)).body
    expect(lately.bucketMs).toBe(HOUR_MS)
    expect(lately.failures[0]).toMatchObject({ count: 2, spark: [0, 2], firstSeen: first.firstSeen })
  })

  it.each(['2020-01-01', '2099-01-01', 'yesterday'])('refuses %s', async (since) => {
    const { call } = await failing()
    const { status, body } = await call(`GET /api/failures?since=${since}`)
    expect([status, body.details[0].path]).toEqual([400, 'since'])
  })

  it('lists the dead letters of one group, and counts those that wait', async () => {
    const { call, fail } = await failing()
    const ids = [await fail('exit 1'), await fail('exit 2')]
    await fail('something else')
    const { fingerprint } = (await call('GET /api/failures')).body.failures[0]
    const listed = (await call(`GET /api/dlq?fingerprint=${fingerprint}&limit=1`)).body
    expect(listed).toMatchObject({
      total: 2,
      count: 1,
      items: [{ taskId: ids[1], fingerprint, agent: 'test-agent' }],
    })
    const next = (await call(`GET /api/dlq?fingerprint=${fingerprint}&limit=1&cursor=${listed.nextCursor}`))
      .body
    expect(next.items).toMatchObject([{ taskId: ids[0] }])
    await call(`POST /api/dlq/${listed.items[0].id}/discard`)
    expect((await call(`GET /api/dlq?fingerprint=${fingerprint}`)).body.total).toBe(1)
    expect((await call('GET /api/failures')).body.failures[0]).toMatchObject({ count: 2, pending: 1 })
  })
})

describe('a failure group in bulk', () => {
  it('is probed with one, then retried, and what is left of others is discarded', async () => {
    const { service, call, fail, mend } = await failing()
    for (let n = 0; n < 3; n += 1) await fail(`exit ${n}`)
    await fail('something else')
    const [group, other] = (await call('GET /api/failures')).body.failures
    const bulk = async (action: string, filter: object) => {
      const { id } = (await call('POST /api/dlq/bulk', { body: { action, filter } })).body.job
      const job = async () => (await call(`GET /api/bulk/${id}`)).body.job
      await until(async () => (await job()).status !== 'running')
      await turns(30)
      return job()
    }
    const { fingerprint } = group
    const asked = await call('POST /api/dlq/bulk', {
      body: { action: 'retry', filter: { fingerprint }, dryRun: true },
    })
    expect(asked.body).toMatchObject({
      count: 3,
      sample: [{ status: 'pending', taskId: expect.any(String) }, {}, {}],
    })
    mend()
    expect(await bulk('retry', { fingerprint, limit: 1 })).toMatchObject({ target: 'dlq', total: 1, done: 1 })
    expect(await service.counters.byStatus()).toMatchObject({ completed: 1, failed: 3 })
    expect(await bulk('retry', { fingerprint })).toMatchObject({ total: 2, done: 2 })
    expect(await service.counters.byStatus()).toMatchObject({ completed: 3, failed: 1 })
    expect(await bulk('discard', { fingerprint: other.fingerprint })).toMatchObject({ total: 1, done: 1 })
    expect(await service.deadLetters.countAll()).toMatchObject({ pending: 0, resolved: 3, discarded: 1 })
    expect(await bulk('discard', { status: 'resolved' })).toMatchObject({
      total: 3,
      done: 0,
      failed: 3,
      failures: [{ code: 'dead_letter_not_pending', title: 'A task' }, {}, {}],
    })
  })

  it('is a selection of tasks as well: those whose dead letters wait', async () => {
    const { service, call, fail } = await failing()
    const ids = [await fail('exit 1'), await fail('exit 2')]
    const { fingerprint } = (await call('GET /api/failures')).body.failures[0]
    const [{ id: letter }] = (await call('GET /api/dlq')).body.items
    await call(`POST /api/dlq/${letter}/discard`)
    const ask = (more: object) =>
      call('POST /api/tasks/bulk', { body: { action: 'retry', filter: { fingerprint }, ...more } })
    expect((await ask({ dryRun: true })).body).toMatchObject({ count: 1, sample: [{ id: ids[0] }] })
    const { id } = (await ask({})).body.job
    await until(async () => (await service.bulk.get(id)).status === 'completed')
    expect(await service.bulk.get(id)).toMatchObject({ total: 1, done: 1 })
  })
})

describe('a muted failure group', () => {
  it('causes no notifications until it is heard again', async () => {
    const { service, call, fail } = await failing()
    const notified = async () => (await service.notifications.list(ANN, { limit: 50 })).total
    await fail('exit 1')
    const { fingerprint } = (await call('GET /api/failures')).body.failures[0]
    const say = (verb: string) => call(`POST /api/failures/${fingerprint}/${verb}`)
    for (let n = 0; n < 2; n += 1)
      expect((await say('mute')).body).toMatchObject({ fingerprint, muted: true })
    await fail('exit 2')
    await fail('something else')
    await until(async () => (await notified()) === 2)
    expect((await call('GET /api/failures')).body.failures[0]).toMatchObject({
      fingerprint,
      count: 2,
      muted: true,
    })
    for (let n = 0; n < 2; n += 1)
      expect((await say('unmute')).body).toMatchObject({ fingerprint, muted: false })
    await fail('exit 3')
    await until(async () => (await notified()) === 3)
  })

  it('is one that there is', async () => {
    const { call } = await failing()
    const { status, body } = await call(`POST /api/failures/${'0'.repeat(16)}/mute`)
    expect([status, body.code]).toEqual([404, 'failure_group_not_found'])
    expect((await call('POST /api/failures/x/mute')).status).toBe(400)
  })
})
