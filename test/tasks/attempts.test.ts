import { describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { tasksOn } from '../adapters/dynamodb/life.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { turns, until } from '../fakes/service.ts'
import { followedStoreOpeners } from '../fakes/stores.ts'

const diff = (line: string) =>
  `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+${line}\n`
const changed = (additions: number) => [{ path: 'a.ts', status: 'modified', additions, deletions: 1 }]

/** A service whose agent answers its attempts one after the other. */
const opened = async (results: readonly object[]) => {
  const agent = createFakeAgent(async (_task, { attempt }) => results[attempt - 1] as never)
  const api = await startApi({ adapters: [agent], background: true, env: { QUEUE_RETRY_ATTEMPTS: '3' } })
  const { call, service } = api
  const { id } = (await call('POST /api/tasks', { body: { title: 'First' } })).body.task
  const end = async () => {
    await until(async () => {
      await service.pass(30_000)
      return (await service.tasks.summary(id))?.completedAt !== undefined
    })
    await turns()
  }
  await end()
  const list = async () => (await call(`GET /api/tasks/${id}/attempts`)).body
  const read = async () => {
    const { attempts } = await list()
    const read = attempts.map((one: { id: string }) => call(`GET /api/tasks/${id}/attempts/${one.id}`))
    return (await Promise.all(read)).map(({ body }) => body.attempt)
  }
  return { ...api, id, end, list, read }
}

describe('the attempts of a task', () => {
  it('are listed with why each ended and what it cost, and each is read with what it left itself', async () => {
    const { id, list, read, call } = await opened([
      {
        success: false,
        output: 'The tests fail',
        diff: diff('one'),
        filesChanged: changed(1),
        cost: { usd: 0.5, source: 'provider' },
      },
      { success: false, output: 'They fail still', diff: diff('two'), filesChanged: 'none' },
      { success: true, output: 'Done', diff: diff('three'), filesChanged: changed(3) },
    ])
    const { attempts, count } = await list()
    expect(count).toBe(3)
    expect(attempts).toMatchObject([
      {
        attempt: 1,
        status: 'failed',
        error: { code: 'agent_failed', message: 'The tests fail' },
        cost: { usd: 0.5, source: 'provider' },
        endedAt: expect.any(String),
      },
      { attempt: 2, status: 'failed', error: { message: 'They fail still' } },
      { attempt: 3, status: 'completed' },
    ])
    expect(attempts[2]).not.toHaveProperty('error')
    expect(await read()).toMatchObject([
      {
        result: {
          output: 'The tests fail',
          diff: diff('one'),
          filesChanged: [{ path: 'a.ts', additions: 1, deletions: 1 }],
        },
      },
      { result: { output: 'They fail still', diff: diff('two') } },
      { result: { output: 'Done', diff: diff('three') } },
    ])
    const other = await call(`GET /api/tasks/${id}/attempts/evt_none`)
    expect(other).toMatchObject({ status: 404, body: { code: 'attempt_not_found' } })
  })

  it('keep what they left when their task is queued again by a person, and count anew', async () => {
    const { id, call, end, read } = await opened([
      { success: false, output: 'No', diff: diff('first life'), retryable: false },
    ])
    const { items } = (await call('GET /api/dlq')).body
    await call(`POST /api/dlq/${items[0].id}/retry`)
    expect((await call(`GET /api/tasks/${id}`)).body.task).not.toHaveProperty('fingerprint')
    await end()
    expect(await read()).toMatchObject([
      { attempt: 1, result: { diff: diff('first life') } },
      { attempt: 1, result: { diff: diff('first life') } },
    ])
    const { fingerprint } = (await call(`GET /api/tasks/${id}`)).body.task
    const { failures } = (await call('GET /api/failures')).body
    expect(failures).toMatchObject([{ fingerprint, count: 2 }])
  })

  it('keep a bounded part of it', async () => {
    const line = `+${'x'.repeat(1_000)}\n`
    const { read } = await opened([
      {
        success: false,
        retryable: false,
        output: 'y'.repeat(200_000),
        diff: line.repeat(500),
        filesChanged: Array.from({ length: 1_500 }, (_, n) => ({ path: `${n}`, additions: 1, deletions: 0 })),
      },
    ])
    const [{ result }] = await read()
    expect(result.output).toHaveLength(100_000)
    expect(result.filesChanged).toHaveLength(1_000)
    expect(result.diff).toMatch(/^(?:\+x{1000}\n)+\[diff truncated at 400 kB\]\n$/)
    expect(result.diff.length).toBeLessThan(410_000)
  })
})

describe.each(followedStoreOpeners(collections))('an attempt on %s', (_name, open) => {
  it('is kept with its end, and not by a run that has lost its lease', async () => {
    const { store, close } = await open(createFakeClock())
    try {
      const service = tasksOn(store)
      const create = { title: 'First', priority: 3 as const, source: 'api' as const, labels: [] }
      const { id } = await service.create({ userId: 'user_ann', role: 'user' }, create)
      const leased = await service.lease.claim({ taskId: id, attempt: 1 })
      if (leased === undefined) throw new Error('there was nothing to claim')
      const error = { code: 'agent_failed', message: 'No' }
      const left = { result: { success: false, output: 'No', diff: diff('kept') } }
      await service.lease.retry(leased, error, 0, left)
      await service.lease.retry(leased, error, 0, { result: { success: false, output: 'late' } })
      const { attempts } = await service.attempts(id)
      expect(attempts).toMatchObject([{ attempt: 1, status: 'failed', error }])
      expect(await service.attempt(id, attempts[0]?.id ?? '')).toMatchObject({
        result: { output: 'No', diff: diff('kept') },
      })
    } finally {
      await close()
    }
  })
})
