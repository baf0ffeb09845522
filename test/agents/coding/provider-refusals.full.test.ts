import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Problem } from '../../../lib/core/errors.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const writing = (path: string, content = 'x\n') => ({
  calls: [{ name: 'write_file', arguments: { path, content } }],
})

describe('a run whose provider is left alone', () => {
  const isOpen = (): never => {
    throw new Problem('unavailable', 'circuit_open', 'x', { retryAfterMs: 10_000 })
  }
  it.each([
    ['before the model answered was refused', [isOpen], true],
    ['after a step has done work', [writing('notes.md'), isOpen], undefined],
  ])('%s', async (_, script, refused) => {
    const failing = createAgentOn(bench, createScriptedModels(script)).run()
    await expect(failing).rejects.toMatchObject({ code: 'circuit_open', retryAfterMs: 10_000 })
    expect(await failing.catch((thrown: object) => thrown)).toEqual(
      refused === undefined
        ? expect.not.objectContaining({ refused: true })
        : expect.objectContaining({ refused }),
    )
  })

  it('by a usage limit is a refusal, also after a step has done work', async () => {
    const limited = () => {
      throw new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 3_600_000 })
    }
    const failing = createAgentOn(bench, createScriptedModels([writing('notes.md'), limited])).run()
    await expect(failing).rejects.toMatchObject({ refused: true, retryAfterMs: 3_600_000 })
  })

  it('for another reason is no refusal', async () => {
    const limited = () => {
      throw new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 10_000 })
    }
    const failing = createAgentOn(bench, createScriptedModels([limited])).run()
    await expect(failing).rejects.not.toHaveProperty('refused')
  })
})
