import { describe, expect, it } from '@jest/globals'
import { type StartedInbound, startInbound } from './inbound.ts'
import * as github from './payloads/codehost.ts'

const MANY = 20
const payload = github.issueLabeled('robot')
const send = (inbound: StartedInbound, event?: string, delivery = 'a') =>
  inbound.deliver('codehost', payload, { delivery, ...(event === undefined ? {} : { event }) })
const eventCount = async ({ inbound }: StartedInbound) => (await inbound.status()).codehost.eventCount

describe('an event that asked for nothing', () => {
  it('makes its task when it comes again after the label was set right', async () => {
    await using before = await startInbound()
    expect((await send(before, 'issues')).body).not.toHaveProperty('task')
    // Another process on the same storage, which knows the label.
    await using inbound = await startInbound({
      env: { AI_TASK_LABEL: 'robot' },
      after: { store: before.store, clock: before.clock, ids: before.ids, delivery: before.delivery },
    })
    const { message, task } = (await send(inbound, 'issues')).body
    expect(message).toBe('This event already created a task')
    expect(task).toMatchObject({ source: 'codehost', sourceId: 'acme/shop#12' })
    // One that knows the label no more does not take it back.
    expect((await send(before, 'issues')).body.task.id).toBe(task.id)
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, 1])
  })

  it('makes one task, however often it comes at once with the header that was missing', async () => {
    await using inbound = await startInbound({ env: { AI_TASK_LABEL: 'robot' } })
    expect((await send(inbound)).body).not.toHaveProperty('task')
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, n) => send(inbound, 'issues', `d-${n}`)),
    )
    const [id, ...others] = new Set(answers.map(({ body }) => body.task?.id))
    expect([typeof id, others]).toEqual(['string', []])
    await inbound.tasks.cancel({ userId: 'user_ann', role: 'user' }, id)
    expect((await send(inbound, 'issues', 'late')).body.task.id).toBe(id)
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, 1])
  })

  it('keeps the task that another process made of it meanwhile, even if that has ended', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined
    await using inbound = await startInbound({
      env: { AI_TASK_LABEL: 'robot' },
      wrapStore: (store) => ({
        ...store,
        get: async (of, key, ...more) => {
          const work = String(key).startsWith('issue:') ? meanwhile : undefined
          if (work) meanwhile = undefined
          await work?.()
          return store.get(of, key, ...more)
        },
      }),
    })
    await send(inbound)
    let first = ''
    meanwhile = async () => {
      first = (await send(inbound, 'issues')).body.task.id
      await inbound.tasks.cancel({ userId: 'user_ann', role: 'user' }, first)
    }
    expect((await send(inbound, 'issues', 'b')).body.task.id).toBe(first)
    expect(await inbound.total()).toBe(1)
  })

  it('is kept for as long as one that came first when it did', async () => {
    await using inbound = await startInbound({ env: { AI_TASK_LABEL: 'robot' } })
    await send(inbound)
    inbound.clock.advance(80 * 86_400_000)
    const { id } = (await send(inbound, 'issues')).body.task
    await inbound.tasks.cancel({ userId: 'user_ann', role: 'user' }, id)
    inbound.clock.advance(80 * 86_400_000)
    expect((await send(inbound, 'issues')).body.task.id).toBe(id)
  })
})
