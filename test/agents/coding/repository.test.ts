import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { cloneFailure } from '../../../lib/adapters/agents/coding/clone-failure.ts'
import { sourceOf } from '../../../lib/adapters/agents/coding/repository.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, gitIn, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
let bare: string
beforeAll(async () => {
  bench = await createWorkbench()
  const source = join(bench.folder, 'source')
  bare = join(bench.folder, 'hosted/owner/repo.git')
  await mkdir(source)
  const git = (...args: string[]) => gitIn(bench.git, source, ...args)
  await git('init', '-q')
  await writeFile(join(source, 'keep.txt'), 'one\ntwo\nthree\n')
  await writeFile(join(source, 'gone.txt'), 'bye\n')
  await writeFile(join(source, 'image.bin'), Buffer.from([0, 1, 2]))
  await git('add', '.')
  await git('commit', '-q', '-m', 'First')
  await git('checkout', '-q', '-b', 'feature')
  await writeFile(join(source, 'feature.txt'), 'f\n')
  await git('add', '.')
  await git('commit', '-q', '-m', 'Feature')
  await git('checkout', '-q', 'main')
  await git('clone', '-q', '--bare', source, bare)
})
afterAll(() => bench[Symbol.asyncDispose]())

const call = (name: string, args: unknown) => ({ name, arguments: args })
const looking = () =>
  createScriptedModels([
    { calls: [call('list_files', {}), call('git', { args: ['log', '--oneline'] })] },
    { text: 'Ok' },
  ])

const seen = (models: ReturnType<typeof createScriptedModels>) =>
  models.requests[1]?.messages
    .flatMap((message) => (message.role === 'tool' ? [message.content] : []))
    .join('\n')

describe('a repository', () => {
  it.each([
    ['owner/repo on the configured host', () => 'owner/repo'],
    ['owner/repo.git', () => 'owner/repo.git'],
    ['a local path', () => bare],
    ['a file: URL', () => `file://${bare}`],
  ])('is cloned from %s', async (_, repository) => {
    const models = looking()
    const { run, progress } = createAgentOn(bench, models)
    const result = await run({ repository: repository() })
    expect(result).toMatchObject({ success: true, branch: 'agent/task_1', filesChanged: [], diff: '' })
    expect(seen(models)).toMatch(/gone\.txt\nimage\.bin\nkeep\.txt[\s\S]*First/)
    expect(progress[0]).toBe(`Cloning ${bare}`)
  })

  it('yields a diff of added, modified, deleted and binary files', async () => {
    const models = createScriptedModels([
      {
        calls: [
          call('write_file', { path: 'new dir/ä\t.txt'.replace('\t', ''), content: 'new\n' }),
          call('edit_file', { path: 'keep.txt', oldText: 'two', newText: 'TWO\nand' }),
          call('run_command', { command: 'rm', args: ['gone.txt'] }),
          call('run_command', { command: 'cp', args: ['keep.txt', 'image.bin'] }),
          call('write_file', { path: 'm.mjs', content: 'x' }),
        ],
      },
      { text: 'Ok' },
    ])
    const { filesChanged, diff } = await createAgentOn(bench, models).run({ repository: 'owner/repo' })
    expect(filesChanged).toEqual([
      { path: 'gone.txt', status: 'deleted', additions: 0, deletions: 1 },
      { path: 'image.bin', status: 'modified', additions: 0, deletions: 0, binary: true },
      { path: 'keep.txt', status: 'modified', additions: 2, deletions: 1 },
      { path: 'm.mjs', status: 'added', additions: 1, deletions: 0 },
      { path: 'new dir/ä.txt', status: 'added', additions: 1, deletions: 0 },
    ])
    expect(diff).toContain('-two\n+TWO\n+and\n three')
    expect(diff).toContain('Binary files a/image.bin and b/image.bin differ')
    expect(diff).toContain('deleted file mode')
  })

  it('is worked on at a branch that exists, from where it stands', async () => {
    const models = looking()
    expect(
      await createAgentOn(bench, models).run({ repository: 'owner/repo', branch: 'feature' }),
    ).toMatchObject({
      branch: 'feature',
    })
    expect(seen(models)).toMatch(/feature\.txt[\s\S]*Feature/)
  })

  it('is worked on at a new branch when there is none of that name', async () => {
    const models = looking()
    expect(
      await createAgentOn(bench, models).run({ repository: 'owner/repo', branch: 'fix/a' }),
    ).toMatchObject({
      branch: 'fix/a',
    })
    expect(seen(models)).not.toMatch(/feature\.txt/)
  })

  it('may be empty', async () => {
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

describe('a clone that fails', () => {
  it.each([
    ['that is not there', () => 'owner/none', false, /it does not exist: check the name/],
    ['of a path that is no repository', () => bench.folder, false, /it does not exist/],
    [
      'of a host that does not answer',
      () => 'https://127.0.0.1:1/owner/repo.git',
      true,
      /could not be reached/,
    ],
  ])('says so for one %s', async (_, repository, retryable, message) => {
    const models = looking()
    const failing = createAgentOn(bench, models).run({ repository: repository() })
    await expect(failing).rejects.toMatchObject({
      code: 'clone_failed',
      retryable,
      message: expect.stringMatching(message),
    })
    expect(models.requests).toEqual([])
  })

  it.each([
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", false],
    ['remote: Repository not found.\nfatal: repository not found', false],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", false],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 503", true],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", true],
    ['fatal: early EOF', true],
    ['something new', true],
  ])('for %j is worth another attempt: %s', (stderr, retryable) => {
    const result = { exitCode: 128, stdout: '', stderr, truncated: false, timedOut: false }
    expect(cloneFailure('x', result)).toMatchObject({ code: 'clone_failed', retryable })
  })
})

describe('a repository that git would take for something else', () => {
  it.each([
    '--upload-pack=touch pwned',
    '-u',
    'ext::sh -c touch% pwned',
    'fd::17',
    'file::/x',
    'ssh://host/owner/repo',
    'git@host:owner/repo',
    'host:owner/repo',
    'git://host/owner/repo',
    'http://host/owner/repo',
    'ftp://host/owner/repo',
    'https://user:token@host/owner/repo',
    'https://token@host/owner/repo',
    'file://host/owner/repo',
    '-owner/repo',
    'owner/-repo',
    './repo',
    '../repo',
    'owner/repo/../..',
    'owner',
    'owner/repo\n--upload-pack=x',
    'https://',
  ])('is refused: %j', async (repository) => {
    const failing = createAgentOn(bench, looking()).run({ repository })
    await expect(failing).rejects.toMatchObject({ code: 'repository_invalid', retryable: false })
    await expect(failing).rejects.not.toThrow(/token/)
  })

  it.each([
    '--orphan',
    '-b',
    '--upload-pack=x',
    'a b',
    'a..b',
    'a~1',
    'a:b',
    'HEAD',
    '@{-1}',
    '.a',
    'a.lock',
    'a\nb',
    'a\0b',
    '/a',
  ])('has no branch %j', async (branch) => {
    const failing = createAgentOn(bench, looking()).run({ repository: 'owner/repo', branch })
    await expect(failing).rejects.toMatchObject({ code: 'branch_invalid', retryable: false })
  })
})

describe('the source of a repository', () => {
  const rules = { base: 'https://host.test', local: false }
  it('stays remote where local ones are not allowed', async () => {
    for (const repository of [bare, `file://${bare}`])
      await expect(sourceOf(repository, rules)).rejects.toMatchObject({ code: 'repository_invalid' })
    expect(await sourceOf('owner/repo.js', rules)).toMatchObject({
      ...{ url: 'https://host.test/owner/repo.js.git', transport: 'https' },
    })
  })

  it('asks whether a host may be reached', async () => {
    const refuseUrl = async ({ hostname }: URL) =>
      hostname === '169.254.1.1' ? 'private address' : undefined
    await expect(sourceOf('https://169.254.1.1/a', { ...rules, refuseUrl })).rejects.toThrow(
      /private address/,
    )
    expect(await sourceOf('https://host.test/a', { ...rules, refuseUrl })).toMatchObject({
      url: 'https://host.test/a',
    })
  })

  it('takes a local path byte for byte', async () => {
    expect(await sourceOf('/a b/100%/#c?d/ü', { ...rules, local: true })).toMatchObject({
      url: '/a b/100%/#c?d/ü',
    })
  })
})
