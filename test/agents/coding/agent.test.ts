import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Problem } from '../../../lib/core/errors.ts'
import type { AgentContext } from '../../../lib/ports/agent.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { awaitText, createWorkbench, stubbornScript, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const writing = (path: string, content = 'x\n') => ({
  calls: [{ name: 'write_file', arguments: { path, content } }],
})

describe('the coding agent', () => {
  it('says what it is', () => {
    const { agent } = createAgentOn(bench, createScriptedModels([]))
    expect(agent).toMatchObject({
      type: 'coding-agent',
      capabilities: ['code', 'git', 'terminal', 'file-ops'],
    })
    expect(agent.configured?.()).toBe(true)
  })

  it('does a task in an empty workspace and hands back what it changed', async () => {
    const models = createScriptedModels([writing('notes.md', 'one\ntwo\n'), { text: 'Wrote notes.md' }])
    const { run, progress } = createAgentOn(bench, models)
    const result = await run()
    expect(result).toMatchObject({
      success: true,
      output: 'Wrote notes.md',
      branch: 'agent/task_1',
      steps: 2,
      toolCalls: 1,
      provider: 'demo',
      model: 'scripted',
      usage: { totalTokens: 30 },
      filesChanged: [{ path: 'notes.md', status: 'added', additions: 2, deletions: 0 }],
    })
    expect(result.diff).toContain('+++ b/notes.md\n@@ -0,0 +1,2 @@\n+one\n+two\n')
    expect(result.baseCommit).toMatch(/^[0-9a-f]{40}$/)
    expect(progress).toEqual([
      'Preparing an empty workspace',
      'Step 1 of 25',
      'write_file notes.md',
      'Step 2 of 25',
      'Collecting changes',
    ])
  })

  it('tells the model the task, its tools and how to work', async () => {
    const models = createScriptedModels([{ text: 'Ok' }])
    await createAgentOn(bench, models).run({ title: 'A title', description: 'About', prompt: 'Do this' })
    const [system, user] = models.requests[0]?.messages ?? []
    expect(system?.content).toMatch(/You are a coding agent[\s\S]*agent\/task_1[\s\S]*- write_file: /)
    expect(user).toEqual({ role: 'user', content: 'Task: A title\n\nAbout\n\nDo this' })
  })

  it.each([
    [3, 'that the agent has', {}],
    [2, 'of a task that sets fewer', { maxSteps: 2 }],
    [5, 'of a task that sets more', { maxSteps: 5 }],
  ])('fails after the %i steps %s, with what it did so far', async (steps, _of, task) => {
    const { run } = createAgentOn(bench, createScriptedModels([writing('a.txt')]), { maxSteps: 3 })
    expect(await run(task)).toMatchObject({
      success: false,
      steps,
      output: `Stopped at its limit of ${steps} steps before the task was done. Create the task with more steps to give it more.`,
      filesChanged: [{ path: 'a.txt', status: 'added' }],
    })
  })

  it('says what it cost after each step, and in its result', async () => {
    const cost = { usd: 0.5, source: 'price' } as const
    const models = createScriptedModels([
      { ...writing('a.txt'), cost },
      { text: 'Ok', cost },
    ])
    const { run, costs } = createAgentOn(bench, models)
    const result = await run()
    expect(result.cost).toEqual({ usd: 1, source: 'price' })
    expect(result.usage).not.toHaveProperty('cost')
    expect(costs).toEqual([cost, result.cost])
  })

  it.each<[string, number, number, object]>([
    ['between steps', 0.5, 1, { code: 'cost_limit_reached', retryable: false }],
    ['not in the middle of the last one', 1, 2, { success: true, cost: { usd: 1 } }],
  ])('stops at its cost limit %s', async (_when, costLimitUsd, steps, expected) => {
    const cost = { usd: 0.5, source: 'price' } as const
    const models = createScriptedModels([
      { ...writing('a.txt'), cost },
      { text: 'Ok', cost },
    ])
    const { execute } = createAgentOn(bench, models)
    const ended = await execute({}, { costLimitUsd }).catch((thrown: unknown) => thrown)
    expect(ended).toMatchObject(expected)
    expect(models.requests).toHaveLength(steps)
  })

  it.each<[string, () => Error, string, Partial<AgentContext>]>([
    ['its model', () => new Problem('unavailable', 'provider_error', 'broken'), 'provider_error', {}],
    ['its cost limit', () => new Error('not called'), 'cost_limit_reached', { costLimitUsd: 0.5 }],
    ['its time limit', () => Object.assign(new Error('late'), { code: 'timeout' }), 'timeout', {}],
  ])('leaves its changes, and what a reply needs, where %s ends it', async (what, failure, code, context) => {
    const stop = new AbortController()
    const models = createScriptedModels([
      { ...writing('a.txt'), text: 'I write.', cost: { usd: 0.5, source: 'price' } },
      () => {
        if (code === 'timeout') stop.abort(failure())
        throw failure()
      },
    ])
    const { execute } = createAgentOn(bench, models)
    const about = { id: `task_${what.replaceAll(' ', '_')}` }
    await expect(execute(about, { ...context, signal: stop.signal })).rejects.toMatchObject({
      code,
      result: {
        ...{ success: false, output: 'I write.', steps: 1, toolCalls: 1, cost: { usd: 0.5 } },
        ...{
          filesChanged: [{ path: 'a.txt' }],
          diff: expect.stringContaining('+x'),
          branch: `agent/${about.id}`,
        },
      },
      continuation: {
        files: { patch: expect.stringContaining('+x') },
        conversation: [{ role: 'user' }, { role: 'assistant', content: 'I write.' }, { role: 'tool' }],
      },
    })
  })

  it('fails when the answer was cut', async () => {
    const { run } = createAgentOn(bench, createScriptedModels([{ text: 'Half', reason: 'length' }]))
    expect(await run()).toMatchObject({
      success: false,
      output: 'The response of the model ended early (length).\n\nHalf',
    })
  })

  it('takes its mode from the task', async () => {
    const { run, progress } = createAgentOn(bench, createScriptedModels([writing('a.txt'), { text: 'Ok' }]))
    expect(await run({ metadata: { securityMode: 'sandbox' } })).toMatchObject({ filesChanged: [] })
    expect(progress).toContain('write_file a.txt: denied')
  })

  it.each([['root'], ['Ask'], [true]])(
    'refuses the mode %p, which is none, and is not tried again',
    async (securityMode) => {
      const { run } = createAgentOn(bench, createScriptedModels([writing('a.txt')]))
      await expect(run({ metadata: { securityMode } })).rejects.toMatchObject({
        code: 'security_mode_invalid',
        retryable: false,
      })
    },
  )

  it('starts each attempt in a folder of its own', async () => {
    const { run } = createAgentOn(bench, createScriptedModels([writing('a.txt'), { text: 'Ok' }]))
    await run({ id: 'task_2' }, undefined, 1)
    const again = createAgentOn(bench, createScriptedModels([{ text: 'Ok' }]))
    expect(await again.run({ id: 'task_2' }, undefined, 2)).toMatchObject({ filesChanged: [], diff: '' })
    expect(await readFile(join(bench.dir, 'task_2-1/work/a.txt'), 'utf8')).toBe('x\n')
  })

  it('refuses a task id that is no folder name', async () => {
    const { run } = createAgentOn(bench, createScriptedModels([{ text: 'Ok' }]))
    await expect(run({ id: '../x' })).rejects.toMatchObject({ code: 'workspace_name_invalid' })
  })

  it('stops when it is aborted, with every process it started', async () => {
    const script = { name: 'write_file', arguments: { path: 'stay.mjs', content: stubbornScript(false) } }
    const start = { name: 'run_command', arguments: { command: 'node', args: ['stay.mjs'] } }
    const { run } = createAgentOn(bench, createScriptedModels([{ calls: [script, start] }]))
    const controller = new AbortController()
    const reason = new Error('The task was cancelled')
    const ended = expect(run({ id: 'task_3' }, controller.signal)).rejects.toBe(reason)
    const beat = join(bench.dir, 'task_3-1/work/beat.txt')
    await awaitText(beat)
    controller.abort(reason)
    await ended
    const { size } = await stat(beat)
    await sleep(300)
    expect((await stat(beat)).size).toBe(size)
  })

  it('does not start once aborted', async () => {
    const models = createScriptedModels([{ text: 'Ok' }])
    const { run } = createAgentOn(bench, models)
    await expect(run({}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(models.requests).toEqual([])
  })
})

describe('its changes', () => {
  it('name credential files without their lines', async () => {
    const script = "import { writeFileSync as w } from 'node:fs'; w('.env', 'T=canary'); w('a.txt', 'a')\n"
    const start = { calls: [{ name: 'run_command', arguments: { command: 'node', args: ['m.mjs'] } }] }
    const models = createScriptedModels([
      writing('m.mjs', script.replace('canary', 'can" + "ary')),
      start,
      { text: 'Ok' },
    ])
    const result = await createAgentOn(bench, models).run()
    expect(result).toMatchObject({ filesChanged: [{ path: '.env' }, { path: 'a.txt' }, { path: 'm.mjs' }] })
    expect(result.diff).not.toMatch(/canary|b\/\.env/)
  })
})

describe('its health', () => {
  it('needs the provider to answer', async () => {
    const models = createScriptedModels([])
    expect(await createAgentOn(bench, models).agent.healthCheck()).toMatchObject({ healthy: true })
    const ill = { ...models, health: async () => ({ healthy: false, message: 'no key' }) }
    expect(await createAgentOn(bench, ill).agent.healthCheck()).toMatchObject({
      healthy: false,
      message: 'no key',
    })
    const none = {
      ...models,
      resolve: () => {
        throw new Error('No provider is configured')
      },
    }
    expect(await createAgentOn(bench, none).agent.healthCheck()).toMatchObject({
      healthy: false,
      message: 'No provider is configured',
    })
  })

  it('needs git', async () => {
    const without = { ...bench, git: { ...bench.git, isThere: async () => false } }
    expect(await createAgentOn(without, createScriptedModels([])).agent.healthCheck()).toMatchObject({
      healthy: false,
      message: 'git is not installed',
    })
  })
})
