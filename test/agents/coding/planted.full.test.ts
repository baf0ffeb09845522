import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { changesIn } from '../../../lib/adapters/agents/repository/changes.ts'
import { createCheckout } from '../../../lib/adapters/agents/repository/checkout.ts'
import { restorePatch, workspacePatch } from '../../../lib/adapters/agents/repository/patch.ts'
import type { Workspace } from '../../../lib/ports/workspace.ts'
import { createWorkbench, never, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const put = async (file: string, text: string, mode = 0o644) => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await chmod(file, mode)
}

/** What a program of the agent could leave behind, and what of plain git would run it. */
type Planted = {
  config?: Readonly<Record<string, string>>
  files?: Readonly<Record<string, string>>
  attributes?: string
  plain: readonly string[]
}

const FILTERED = '* filter=planted diff=planted merge=planted\n'

/** Each runs `trap`, a program that leaves a file. */
const plantings = (trap: string): Readonly<Record<string, Planted>> => ({
  'core.fsmonitor': { config: { 'core.fsmonitor': trap }, plain: ['status'] },
  'core.hooksPath': {
    config: { 'core.hooksPath': 'hooks' },
    files: { 'hooks/post-index-change': `#!/bin/sh\n${trap}\n` },
    plain: ['add', '--all'],
  },
  'a hook': { files: { '.git/hooks/post-index-change': `#!/bin/sh\n${trap}\n` }, plain: ['add', '--all'] },
  'a clean filter': { config: { 'filter.planted.clean': trap }, attributes: FILTERED, plain: ['diff'] },
  'a filter process': { config: { 'filter.planted.process': trap }, attributes: FILTERED, plain: ['diff'] },
  'attributes beside the files': {
    config: { 'filter.planted.clean': trap },
    files: { '.git/info/attributes': FILTERED },
    plain: ['diff'],
  },
  'core.attributesFile': {
    config: { 'filter.planted.clean': trap, 'core.attributesFile': 'elsewhere' },
    files: { elsewhere: FILTERED },
    plain: ['diff'],
  },
  'diff.external': { config: { 'diff.external': trap }, plain: ['diff'] },
  'a diff command': { config: { 'diff.planted.command': trap }, attributes: FILTERED, plain: ['diff'] },
  textconv: { config: { 'diff.planted.textconv': trap }, attributes: FILTERED, plain: ['diff'] },
  'an alias': { config: { 'alias.changes': `!${trap}` }, plain: ['changes'] },
  'an include': {
    config: { 'include.path': '../included', 'diff.planted.command': 'false' },
    files: { included: `[filter "planted"]\n\tclean = ${trap}\n` },
    attributes: FILTERED,
    plain: ['add', '--all'],
  },
  'settings of a worktree': {
    config: { 'extensions.worktreeConfig': 'true' },
    files: { '.git/config.worktree': `[core]\n\tfsmonitor = ${trap}\n` },
    plain: ['status'],
  },
  'core.sshCommand': { config: { 'core.sshCommand': trap }, plain: ['fetch', 'ssh://host.invalid/a'] },
  'an upload-pack of a promisor': {
    config: {
      'core.repositoryformatversion': '1',
      'extensions.partialClone': 'planted',
      'remote.planted.url': '.',
      'remote.planted.promisor': 'true',
      'remote.planted.uploadpack': trap,
    },
    plain: ['cat-file', '-p', '1234567890123456789012345678901234567890'],
  },
  'core.askPass and a helper': {
    config: { 'core.askPass': trap, 'credential.helper': `!${trap}` },
    plain: ['credential', 'fill'],
  },
  'settings of its home': {
    files: { '../home/.gitconfig': `[core]\n\tfsmonitor = ${trap}\n` },
    plain: ['status'],
  },
})

/** A workspace with a commit, one change to it, and the means by which that change is read. */
const checkedOutWorkspace = async (name: string) => {
  const workspace = await bench.workspaces.create(name)
  const { baseCommit } = await createCheckout(bench)(workspace, {
    taskId: 'task_1',
    source: undefined,
    branch: 'main',
    signal: never,
  })
  await workspace.write('kept.txt', 'one\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', workspace.root, ...args], { encoding: 'utf8' })
  return { workspace, baseCommit, git }
}

const plant = async ({ root }: Workspace, { config = {}, files = {}, attributes }: Planted) => {
  for (const [name, value] of Object.entries(config))
    execFileSync('git', ['-C', root, 'config', '--add', name, value])
  for (const [path, text] of Object.entries(files)) await put(join(root, path), text, 0o755)
  if (attributes !== undefined) await put(join(root, '.gitattributes'), attributes)
}

const names = Object.keys(plantings(''))

describe('the changes of a workspace', () => {
  it.each(names)('run nothing that the agent planted, which plain git runs: %s', async (name) => {
    const [trap, sprung] = [join(bench.folder, 'trap'), join(bench.folder, 'sprung')]
    await put(trap, `#!/bin/sh\ntouch ${sprung}\n`, 0o755)
    const { workspace, baseCommit } = await checkedOutWorkspace(`planted-${names.indexOf(name)}`)
    const planted = plantings(trap)[name] as Planted
    execFileSync('git', ['-C', workspace.root, 'add', 'kept.txt'])
    await workspace.write('kept.txt', 'one\ntwo\n')
    await plant(workspace, planted)

    await rm(sprung, { force: true })
    const { filesChanged, diff } = await changesIn(await workspace.tree(baseCommit, [], never), baseCommit)
    expect(existsSync(sprung)).toBe(false)
    expect(filesChanged).toContainEqual({ path: 'kept.txt', status: 'added', additions: 2, deletions: 0 })
    expect(diff).toContain('+one\n+two\n')

    const env = { PATH: process.env.PATH, HOME: workspace.home }
    const input = 'protocol=https\nhost=host.invalid\n\n'
    spawnSync('git', ['-C', workspace.root, ...planted.plain], { env, input, timeout: 20_000 })
    expect(existsSync(sprung)).toBe(true)
  })

  it.each<[string, (workspace: Workspace) => Promise<void>]>([
    ['core.worktree', ({ root }) => put(join(root, '.git/config'), '[core]\n\tworktree = /etc\n')],
    [
      'core.excludesFile',
      ({ root }) => put(join(root, '.git/config'), `[core]\n\texcludesFile = ${root}/all\n`),
    ],
    ['.git/info/exclude', ({ root }) => put(join(root, '.git/info/exclude'), '*\n')],
    ['an ignore file of its home', ({ home }) => put(join(home, '.config/git/ignore'), '*\n')],
    ['settings that cannot be read', ({ root }) => put(join(root, '.git/config'), '[')],
    ['an index that is none', ({ root }) => put(join(root, '.git/index'), 'x')],
    [
      "a link in place of the service's folder",
      async ({ root }) => {
        await rm(join(root, '../own'), { recursive: true, force: true })
        await symlink(root, join(root, '../own'))
      },
    ],
  ])('are those of the files, whatever it set by %s', async (name, set) => {
    const { workspace, baseCommit } = await checkedOutWorkspace(`set-${name.replaceAll(/\W/g, '-')}`)
    await put(join(workspace.root, 'all'), '*\n')
    await set(workspace)
    const { filesChanged } = await changesIn(await workspace.tree(baseCommit, [], never), baseCommit)
    expect(filesChanged.map(({ path }) => path)).toEqual(['all', 'kept.txt'])
  })

  it('outlive a checkpoint, names and contents that are not UTF-8 included', async () => {
    const { workspace, baseCommit } = await checkedOutWorkspace('latin')
    const nameIn = ({ root }: Workspace) => Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])])
    const latin = Buffer.from('latin \xe9\r\n', 'latin1')
    await writeFile(nameIn(workspace), latin)
    execFileSync('mkfifo', [join(workspace.root, 'pipe')])
    const patch = await workspacePatch(workspace, baseCommit, never)
    const { workspace: anew, baseCommit: base } = await checkedOutWorkspace('latin-anew')
    await rm(join(anew.root, 'kept.txt'))
    await restorePatch(anew, JSON.parse(JSON.stringify(patch)), base, never)
    expect(readFileSync(nameIn(anew))).toEqual(latin)
    expect(readFileSync(join(anew.root, 'kept.txt'), 'utf8')).toBe('one\n')
  })

  it('are read from a repository of SHA-256 too', async () => {
    const workspace = await bench.workspaces.create('sha256')
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', workspace.root, ...args], { encoding: 'utf8' })
    git('init', '-q', '--object-format=sha256')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
    await workspace.keepObjects()
    await workspace.write('a.txt', 'a\n')
    const head = git('rev-parse', 'HEAD').trim()
    const { filesChanged } = await changesIn(await workspace.tree(head, [], never), head)
    expect(filesChanged).toMatchObject([{ path: 'a.txt' }])
  })
})
