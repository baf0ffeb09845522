import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { mortalStore } from '../fakes/mortal.ts'
import { startInbound } from './inbound.ts'
import { issueLabeled } from './payloads/codehost.ts'

const LEFT_BEHIND_MS = 10_000
const payload = issueLabeled('ai-task', { title: 'Left behind' })

describe('an event whose process died over it', () => {
  it.each(['inboundClaims', 'tasks'])('before it wrote to %s comes to its task by itself', async (at) => {
    const { state, wrapStore } = mortalStore()
    await using inbound = await startInbound({ wrapStore })
    const send = () => inbound.deliver('codehost', payload, { event: 'issues', delivery: 'a' })
    state.at = at
    expect((await send()).status).toBe(500)
    expect(await inbound.total()).toBe(0)
    delete state.at

    await inbound.inbound.repair()
    // Somebody may still be at it.
    expect(await inbound.total()).toBe(0)
    inbound.clock.advance(LEFT_BEHIND_MS)
    await inbound.inbound.repair()
    const { rows } = await inbound.tasks.list({ limit: 10 } as never).then(({ tasks: rows }) => ({ rows }))
    expect(rows).toMatchObject([{ title: 'Left behind', source: 'codehost', sourceId: 'acme/shop#12' }])
    expect((await send()).body.task.id).toBe(rows[0]?.id)
    await inbound.inbound.repair()
    expect(await inbound.total()).toBe(1)
  })

  it('after the task was made and before that was noted makes no other', async () => {
    const { state, wrapStore } = mortalStore()
    await using inbound = await startInbound({
      wrapStore: (store) => {
        const wrapped = wrapStore(store)
        // The last write of all.
        const commit: Store['commit'] = (head, ...more) =>
          'unset' in head && head.update.name === 'inboundEvents'
            ? wrapped.commit(head, ...more)
            : store.commit(head, ...more)
        return { ...wrapped, commit, decide: store.decide }
      },
    })
    state.at = 'inboundEvents'
    expect((await inbound.deliver('codehost', payload, { event: 'issues' })).status).toBe(500)
    expect(await inbound.total()).toBe(1)
    delete state.at
    inbound.clock.advance(LEFT_BEHIND_MS)
    await inbound.inbound.repair()
    expect(await inbound.total()).toBe(1)
  })

  it('before it was stored is left to its sender, who is told', async () => {
    const { state, wrapStore } = mortalStore()
    await using inbound = await startInbound({ wrapStore })
    const send = () => inbound.deliver('codehost', payload, { event: 'issues' })
    state.at = 'inboundEvents'
    expect((await send()).status).toBe(500)
    delete state.at
    expect((await send()).body.message).toBe('This event has made a task')
  })

  it('is taken up by a service that goes on, within half a minute', async () => {
    const { state, wrapStore } = mortalStore()
    await using inbound = await startInbound({ wrapStore, background: true })
    state.at = 'inboundClaims'
    await inbound.deliver('codehost', payload, { event: 'issues' })
    delete state.at
    await inbound.pass(25_000)
    expect(await inbound.total()).toBe(1)
  })

  it('keeps none of the others waiting, and is named in the log while it cannot be helped', async () => {
    const { state, wrapStore } = mortalStore()
    await using inbound = await startInbound({ wrapStore })
    state.at = 'inboundClaims'
    for (const number of [1, 2, 3])
      await inbound.deliver('codehost', issueLabeled('ai-task', { number }), { event: 'issues' })
    inbound.clock.advance(LEFT_BEHIND_MS)
    await inbound.inbound.repair()
    const told = inbound.log.entries.filter(({ message }) => message.startsWith('a webhook event'))
    expect(told).toMatchObject(
      Array(3).fill({ level: 'error', fields: { event: expect.stringMatching(/^codehost-/) } }),
    )
    delete state.at
    await inbound.inbound.repair()
    expect(await inbound.total()).toBe(3)
  })
})
