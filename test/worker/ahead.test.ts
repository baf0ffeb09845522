import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { inFolder } from '../adapters/sqlite/samples.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns } from '../fakes/service.ts'

const lost = () => new Problem('unavailable', 'storage_unavailable', 'the transaction failed')

/** A row once it is durable: its claim may come before. */
const kept = async (store: Store, ...[of, key]: Parameters<Store['get']>): Promise<object> => {
  const row = await store.get(of, key, true)
  if (row !== undefined) return row
  await turns(1)
  return kept(store, of, key)
}

/** Storage whose first decision turns out void: told as it would have been, never kept. */
const voiding = (told: { applied: boolean }) => (store: Store) => {
  let left = 1
  const decide = async (...[head, followers, detail]: Parameters<Store['decide']>) => {
    if (!('update' in head) || left-- <= 0) return store.decide(head, followers, detail)
    const row = await kept(store, head.update, head.key)
    return {
      ...told,
      row: { ...row, attempts: 1, fence: 1, status: 'in_progress' },
      durable: turns(3).then(() => Promise.reject(lost())),
    }
  }
  return { ...store, decide: decide as Store['decide'] }
}

describe('a run that begins before its claim is durable', () => {
  it('comes to nothing when the claim is void, and the task is run again', async () => {
    const agent = createFakeAgent()
    await using service = await startDomains({ adapters: [agent], wrapStore: voiding({ applied: true }) })
    const { id } = await service.create()
    await turns(30)
    await service.pass(2_000)
    expect((await service.reaches(id, 'completed')).attempts).toBe(1)
    expect(agent.runs).toHaveLength(2)
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('does not end the next attempt, whose claim carries the same number', async () => {
    let runs = 0
    const agent = createFakeAgent(async (...call) =>
      ++runs === 1 ? { success: true, output: 'of the void claim' } : HOLD(...call),
    )
    let refusals = 3
    const late = (store: Store): Store => ({
      ...voiding({ applied: true })(store),
      commit: (head, ...rest) => {
        const ends = 'update' in head && (head.set as { status?: string } | undefined)?.status === 'completed'
        return ends && refusals-- > 0 ? Promise.reject(lost()) : store.commit(head, ...rest)
      },
    })
    await using service = await startDomains({ adapters: [agent], wrapStore: late })
    const { id } = await service.create()
    await turns(30)
    await service.pass(2_500)
    expect([runs, (await service.tasks.get(id)).status]).toEqual([2, 'in_progress'])
  })

  it('gives its message back when a refusal turns out void', async () => {
    await using service = await startDomains({ background: false, wrapStore: voiding({ applied: false }) })
    const { id } = await service.create()
    service.ahead.allowed = true
    const run = service.worker.run({ taskId: id, attempt: 1 })
    await expect(run).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('an agent', () => {
  it('may change the task it is given without changing the one that is stored', async () => {
    const agent = createFakeAgent(async (task) => {
      ;(task.labels as string[]).push('changed')
      ;(task.metadata as Record<string, unknown>).changed = true
      return { success: true, output: 'done' }
    })
    await using service = await startDomains({ adapters: [agent] })
    const { id } = await service.create({ labels: ['kept'], metadata: { kept: true } })
    const { labels, metadata } = await service.reaches(id, 'completed')
    expect({ labels, metadata }).toEqual({ labels: ['kept'], metadata: { kept: true } })
  })

  it('fills the event log with at most a thousand of its progress events, and no event after them is missed', async () => {
    const agent = createFakeAgent(async (_task, { progress }) => {
      for (let n = 0; n < 1_200; n++) progress(`p ${n}`)
      return { success: true, output: 'done' }
    })
    await using service = await startDomains({ adapters: [agent] })
    const { id } = await service.create()
    await service.reaches(id, 'completed')
    const types = await service.eventTypes(id)
    expect([types.filter((type) => type === 'progress').length, types.at(-1)]).toEqual([1_000, 'completed'])
  })

  it('is stopped when the task itself is void, and whoever asked for it hears so', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'service.db')
      const agent = createFakeAgent(HOLD)
      await using service = await startDomains({ adapters: [agent], file })
      const { id: first } = await service.create()
      await service.reaches(first, 'in_progress')
      const other = new DatabaseSync(file)
      // Longer than the writer waits for it: what is decided meanwhile cannot be kept.
      other.exec('BEGIN IMMEDIATE')
      await expect(service.create()).rejects.toMatchObject({ kind: 'unavailable' })
      other.exec('COMMIT')
      other.close()
      await turns(30)
      expect(agent.runs.map(({ signal }) => signal.reason?.code)).toEqual([undefined, 'lost'])
      expect(await service.totals.byStatus()).toMatchObject({ queued: 0, in_progress: 1 })
    }))
})
