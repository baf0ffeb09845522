import { execFileSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench } from '../../fakes/workbench.ts'
import { makeSource } from './source.ts'

const ANSWER = [{ text: 'Done' }]

describe('the branch of a task', () => {
  it.each<[string, string, { branch?: string }, string]>([
    ['a default branch called agent', 'agent', {}, 'agent-task_1'],
    ['a task that names the branch agent', 'agent', { branch: 'agent' }, 'agent'],
    ["a default branch called as the task's", 'agent/task_1', {}, 'agent/task_1'],
    ["branches below the task's", 'agent/task_1/x', {}, 'agent-task_1'],
    ['another branch of an agent', 'agent/task_2', {}, 'agent/task_1'],
  ])('is one that git can have: %s', async (_title, existing, about, branch) => {
    await using bench = await createWorkbench()
    const repository = makeSource(bench, 'true', existing)
    const result = await createAgentOn(bench, createScriptedModels(ANSWER)).run({ repository, ...about })
    expect(result).toMatchObject({ success: true, branch })
  })

  it.each([
    ['agent/mine', /has a branch agent, so git cannot create the branch agent\/mine/],
    ['other/task', /has a branch other\/task\/x, so git cannot create the branch other\/task/],
  ])('is refused for good where git cannot have it: %s', async (branch, message) => {
    await using bench = await createWorkbench()
    const repository = makeSource(bench, 'true', 'agent')
    execFileSync('git', ['-C', repository, 'branch', 'other/task/x'])
    const failing = createAgentOn(bench, createScriptedModels(ANSWER)).run({ repository, branch })
    await expect(failing).rejects.toMatchObject({ code: 'branch_invalid', retryable: false })
    await expect(failing).rejects.toThrow(message)
  })

  it('does not begin in an empty clone where the default branch does not exist', async () => {
    await using bench = await createWorkbench()
    const repository = makeSource(bench, 'touch a')
    execFileSync('git', ['-C', repository, 'symbolic-ref', 'HEAD', 'refs/heads/none'])
    const run = (branch?: string) =>
      createAgentOn(bench, createScriptedModels(ANSWER)).run({ repository, ...(branch && { branch }) })
    await expect(run()).rejects.toMatchObject({ code: 'clone_failed', retryable: false })
    expect(await run('main')).toMatchObject({ success: true, branch: 'main' })
  })
})
