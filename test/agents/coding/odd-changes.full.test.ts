import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
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

describe('the changes of a run of the coding agent', () => {
  it('count what is committed too, and leave ignored files out', async () => {
    const git = (...args: string[]) => ({ name: 'git', arguments: { args } })
    const models = createScriptedModels([
      writing('.gitignore', 'junk\n'),
      writing('junk'),
      writing('kept.txt'),
      { calls: [git('add', '.'), git('commit', '-m', 'Keep')] },
      writing('later.txt'),
      { text: 'Ok' },
    ])
    expect(await createAgentOn(bench, models).run()).toMatchObject({
      filesChanged: [{ path: '.gitignore' }, { path: 'kept.txt' }, { path: 'later.txt' }],
    })
  })

  it('have names as they are, whatever letters are in them', async () => {
    const models = createScriptedModels([writing('café/日本.txt', 'a\n'), { text: 'Ok' }])
    const { diff, filesChanged } = await createAgentOn(bench, models).run()
    expect(filesChanged).toMatchObject([{ path: 'café/日本.txt' }])
    expect(diff).toContain('diff --git a/café/日本.txt b/café/日本.txt\n')
  })

  it('are cut at 200 kB of diff, with a note', async () => {
    const models = createScriptedModels([writing('big.txt', 'line of text\n'.repeat(50_000)), { text: 'Ok' }])
    const { diff, filesChanged } = await createAgentOn(bench, models).run()
    expect(filesChanged).toEqual([{ path: 'big.txt', status: 'added', additions: 50_000, deletions: 0 }])
    expect(String(diff)).toMatch(/\n\+line of text\n\[diff truncated at 200 kB\]\n$/)
    expect(Buffer.byteLength(String(diff))).toBeLessThan(201 * 1_024)
  })

  it('are there where the agent has removed its repository', async () => {
    const script = "import { rmSync } from 'node:fs'; rmSync('.git', { recursive: true })\n"
    const start = { calls: [{ name: 'run_command', arguments: { command: 'node', args: ['m.mjs'] } }] }
    const models = createScriptedModels([writing('m.mjs', script), start, { text: 'Ok' }])
    await writeFile(join(bench.folder, 'around.txt'), '')
    expect(await createAgentOn(bench, models).run()).toMatchObject({
      success: true,
      filesChanged: [{ path: 'm.mjs', status: 'added' }],
    })
  })
})
