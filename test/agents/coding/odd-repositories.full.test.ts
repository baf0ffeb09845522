import { access, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { makeBareRepository } from '../../fakes/git-host.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { gitIn, type Workbench } from '../../fakes/workbench.ts'
import { call, looking, openRepositories, type Repositories } from './repositories.ts'

let repositories: Repositories
let bench: Workbench
let bare: string
beforeAll(async () => {
  repositories = await openRepositories()
  ;({ bench, bare } = repositories)
})
afterAll(() => repositories[Symbol.asyncDispose]())

describe('a clone', () => {
  it('is one of an empty repository, too', async () => {
    const empty = join(bench.folder, 'hosted/owner/empty.git')
    await mkdir(empty)
    await gitIn(bench.git, empty, 'init', '-q', '--bare')
    const models = createScriptedModels([
      { calls: [call('write_file', { path: 'a', content: 'a' })] },
      { text: 'Ok' },
    ])
    expect(await createAgentOn(bench, models).run({ repository: 'owner/empty' })).toMatchObject({
      filesChanged: [{ path: 'a', status: 'added' }],
    })
  })

  it('shares no object file with its source', async () => {
    await createAgentOn(bench, looking()).run({ id: 'task_9', repository: bare })
    const objects = await gitIn(bench.git, join(bench.dir, 'task_9-1/work'), 'count-objects', '-v')
    expect(objects).toMatch(/^in-pack: [1-9]/m)
    await expect(access(join(bench.dir, 'task_9-1/work/.git/objects/info/alternates'))).rejects.toThrow(
      'ENOENT',
    )
  })
})

describe('a source of another owner', () => {
  it('is named safe for its clone, odd letters in its name or not', async () => {
    if (process.getuid?.() !== 0) return console.error('SKIPPED: only root can give a folder away')
    const folder = join(bench.folder, "it's a $(touch pwned) source")
    await mkdir(folder)
    const theirs = makeBareRepository(folder)
    await chown(theirs, 12_345, 12_345)
    expect(await createAgentOn(bench, looking()).run({ repository: theirs })).toMatchObject({ success: true })
  })
})

describe('a linked worktree', () => {
  it('is cloned with its branch, and reads the common directory', async () => {
    const linked = join(bench.folder, 'linked')
    await gitIn(bench.git, repositories.source, 'worktree', 'add', '-q', linked, 'feature')
    const [cloned] = await repositories.readableFolders({ repository: linked })
    const common = join(repositories.source, '.git')
    expect(cloned).toEqual([join(common, 'worktrees/linked'), common])
  })
})
