import { execFileSync } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { Models } from '../../lib/ports/model.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Toolbox, ToolSession } from '../../lib/ports/tool.ts'
import { workspaceSnapshots } from '../../lib/turns/rows.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { createWorkbench, type Workbench } from '../fakes/workbench.ts'
import { ANN, createWorld } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)
const benches = forEachTest(
  async () => ({ first: await createWorkbench(), second: await createWorkbench() }),
  async (all) => {
    for (const bench of Object.values(all)) await bench[Symbol.asyncDispose]()
  },
)
type Machine = keyof ReturnType<typeof benches>

const calls = (name: string, more: object): ScriptedStep => ({ calls: [{ name, arguments: more }] })
const writes = (path: string, content: string) => calls('write_file', { path, content })
const reads = (path: string) => calls('read_file', { path })
const DONE: ScriptedStep = { text: 'Done.' }

/** Tools of files. */
const benchTools = (bench: Workbench) => bench.runner()

/** One turn on a machine: the calls of its model, and what they answered. */
const turn = async (machine: Machine, id: string, ...steps: ScriptedStep[]) => {
  const bench = benches()[machine]
  const models = createScriptedModels([...steps, DONE])
  const { send } = world().process({ models, openTools: benchTools(bench), disk: bench.workspaces })
  const given = { content: 'Go on', securityMode: 'full' } as const
  const { assistantMessage } = await send.sendWithTools(ANN, id, given)
  return { ...assistantMessage, results: (assistantMessage.toolCalls ?? []).map(({ result }) => result) }
}

/** Tools after each call of which something happens. */
const afterCalls =
  (open: (session: ToolSession) => Toolbox, work: () => unknown) =>
  (session: ToolSession): Toolbox => {
    const toolbox = open(session)
    return {
      ...toolbox,
      call: async (call, signal) => {
        const outcome = await toolbox.call(call, signal)
        await work()
        return outcome
      },
    }
  }

/** The storage as a process reaches it until it dies. */
const mortalStore = () => {
  let isDead = false
  const die = () => {
    isDead = true
    throw new Error('the power is gone')
  }
  const wrapStore = (store: Store): Store => ({
    ...store,
    commit: async (...given) => (isDead ? die() : store.commit(...given)),
  })
  return { wrapStore, die }
}

/** The storage as a process reaches it that is frozen when it should renew its lease. */
const withoutRenewal = (store: Store): Store => ({
  ...store,
  commit: async (head, ...more) => {
    const isRenewal = 'update' in head && Object.keys(head.set ?? {}).join() === 'turnUntil'
    return isRenewal ? { applied: true, row: undefined } : store.commit(head, ...more)
  },
})

const begin = () =>
  world()
    .process({ models: createScriptedModels([DONE]) })
    .begin()
const stored = (id: string) => world().store.get(workspaceSnapshots, id, true)

describe('the workspace of a conversation whose turns share no disk', () => {
  it('has what the turn before left, on whichever machine that was', async () => {
    const id = await begin()
    await turn('first', id, writes('a.txt', 'one'))
    const second = await turn('second', id, reads('a.txt'), writes('a.txt', 'two'))
    expect(second.results[0]).toContain('one')
    // This machine has files of an older turn.
    const third = await turn('first', id, reads('a.txt'))
    expect(third.results[0]).toContain('two')
    expect(third).not.toHaveProperty('notice')
  })

  it('is stored by turns that may have changed it, and by no other', async () => {
    const id = await begin()
    await turn('first', id)
    await turn('first', id, reads('none.txt'))
    expect(await stored(id)).toBeUndefined()
    await turn('first', id, writes('a.txt', 'one'))
    const before = await stored(id)
    expect(before?.archive).toEqual(expect.any(String))
    world().clock.advance(1_000)
    await turn('second', id, reads('a.txt'))
    expect(await stored(id)).toEqual(before)
  })

  it('has nothing of a turn that died', async () => {
    const id = await begin()
    await turn('first', id, writes('a.txt', 'one'))
    const { first } = benches()
    const { wrapStore, die } = mortalStore()
    const dying = world().process({
      models: createScriptedModels([writes('a.txt', 'half'), DONE]),
      openTools: afterCalls(benchTools(first), die),
      disk: first.workspaces,
      wrapStore,
    })
    await expect(dying.send.sendWithTools(ANN, id, { content: 'Go', securityMode: 'full' })).rejects.toThrow()
    world().clock.advance(60_000)
    for (const machine of ['first', 'second'] as const)
      expect((await turn(machine, id, reads('a.txt'))).results[0]).toContain('one')
  })

  it('is not stored by a turn that has lost its lease', async () => {
    const id = await begin()
    await turn('first', id, writes('a.txt', 'one'))
    const { first } = benches()
    const overtake = async () => {
      world().clock.advance(60_000)
      await turn('second', id, writes('a.txt', 'two'))
    }
    const slow = world().process({
      models: createScriptedModels([writes('a.txt', 'late'), DONE]),
      openTools: afterCalls(benchTools(first), overtake),
      disk: first.workspaces,
      wrapStore: withoutRenewal,
    })
    await expect(
      slow.send.sendWithTools(ANN, id, { content: 'Go', securityMode: 'full' }),
    ).rejects.toMatchObject({ code: 'turn_lost' })
    for (const machine of ['first', 'second'] as const)
      expect((await turn(machine, id, reads('a.txt'))).results[0]).toContain('two')
  })

  it('goes on elsewhere after an approval with what the turn did before', async () => {
    const id = await begin()
    const { first, second } = benches()
    let isApproved = false
    const asking =
      (bench: Workbench) =>
      (session: ToolSession): Toolbox => {
        const toolbox = benchTools(bench)(session)
        return {
          ...toolbox,
          call: async (call, signal) =>
            call.name === 'edit_file' && !isApproved
              ? { content: '', failed: false, decision: 'pending', durationMs: 0, approvalId: 'apv_1' }
              : toolbox.call(call, signal),
        }
      }
    const edit = calls('edit_file', { path: 'a.txt', oldText: 'one', newText: 'two' })
    const models: Models = createScriptedModels([writes('a.txt', 'one'), edit, DONE])
    const asked = world().process({ models, openTools: asking(first), disk: first.workspaces })
    const given = { content: 'Go', securityMode: 'full' } as const
    expect((await asked.send.sendWithTools(ANN, id, given)).pendingApprovals).toHaveLength(1)
    isApproved = true
    const worker = world().process({ models, openTools: asking(second), disk: second.workspaces })
    await worker.turns.resume({ conversationId: id })
    const [, answer] = await worker.read(id)
    expect(answer).toMatchObject({
      content: 'Done.',
      toolCalls: [{ status: 'success' }, { status: 'success' }],
    })
    expect((await turn('first', id, reads('a.txt'))).results[0]).toContain('two')
  })

  it('that holds too much is not kept, which the user and the model are told', async () => {
    const id = await begin()
    await turn('first', id, writes('a.txt', 'one'))
    const { first } = benches()
    const grow = async () => {
      const large = join(first.dir, id, 'work', 'large')
      await writeFile(large, '')
      await truncate(large, 65 * 1_048_576)
    }
    const models = createScriptedModels([writes('b.txt', 'two'), DONE, DONE])
    const { send } = world().process({
      models,
      openTools: afterCalls(benchTools(first), grow),
      disk: first.workspaces,
    })
    const given = { content: 'Go', securityMode: 'full' } as const
    const { assistantMessage } = await send.sendWithTools(ANN, id, given)
    expect(assistantMessage.notice).toContain('64 MiB')
    await send.send(ANN, id, { content: 'And?' })
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('64 MiB')
    // Here they still are, elsewhere they are not, and nothing older is in their place.
    expect((await turn('first', id, reads('b.txt'))).results[0]).toContain('two')
    const [lost, none] = (await turn('second', id, reads('b.txt'), reads('a.txt'))).results
    expect(lost).toContain('too large to store. The workspace is empty.')
    expect(none).toContain('does not exist')
  })

  it('is kept without what is no file or cannot be read, which the user is told', async () => {
    const id = await begin()
    const { first } = benches()
    const leavePipes = () => {
      for (let n = 0; n < 7; n++) execFileSync('mkfifo', [join(first.dir, id, 'work', `pipe${n}`)])
    }
    const models = createScriptedModels([writes('b.txt', 'two'), DONE])
    const { send } = world().process({
      models,
      openTools: afterCalls(benchTools(first), leavePipes),
      disk: first.workspaces,
    })
    const given = { content: 'Go', securityMode: 'full' } as const
    const { assistantMessage } = await send.sendWithTools(ANN, id, given)
    expect(assistantMessage.notice).toMatch(/^Not stored .*: "pipe\d", .* and 2 more\.$/)
    expect((await turn('second', id, reads('b.txt'))).results[0]).toContain('two')
  })

  it('goes with its conversation', async () => {
    const id = await begin()
    await turn('first', id, writes('a.txt', 'one'))
    const { conversationRemoval } = world().process({ models: createScriptedModels([DONE]) })
    await conversationRemoval.remove(ANN, id)
    await conversationRemoval.removeDeleted()
    expect(await stored(id)).toBeUndefined()
  })
})
