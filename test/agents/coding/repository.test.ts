import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { cloneFailure } from '../../../lib/adapters/agents/repository/git-failures.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { startGitHost } from '../../fakes/git-host.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import type { Workbench } from '../../fakes/workbench.ts'
import { call, looking, openRepositories, type Repositories, seen } from './repositories.ts'

let repositories: Repositories
let bench: Workbench
let bare: string
beforeAll(async () => {
  repositories = await openRepositories()
  ;({ bench, bare } = repositories)
})
afterAll(() => repositories[Symbol.asyncDispose]())

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
    ).toMatchObject({ branch: 'feature' })
    expect(seen(models)).toMatch(/feature\.txt[\s\S]*Feature/)
  })

  it('is worked on at a new branch when there is none of that name', async () => {
    const models = looking()
    expect(
      await createAgentOn(bench, models).run({ repository: 'owner/repo', branch: 'fix/a' }),
    ).toMatchObject({ branch: 'fix/a' })
    expect(seen(models)).not.toMatch(/feature\.txt/)
  })
})

describe('a clone that fails', () => {
  it.each([
    ['that is not there', () => 'owner/none', false, /it does not exist. Check the name/],
    ['of a path that is no repository', () => bench.folder, false, /it does not exist/],
    [
      'of an allowed host that does not answer',
      () => 'https://127.0.0.1:1/owner/repo.git',
      true,
      /could not be reached$/,
    ],
  ])('says so for one %s', async (_, repository, retryable, message) => {
    const models = looking()
    const repositories = { allow: ['127.0.0.1'] }
    const failing = createAgentOn(bench, models, { repositories }).run({ repository: repository() })
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
    ["fatal: unable to access 'https://x/': The requested URL returned error: 302", false],
    ['fatal: early EOF', true],
    ['something new', true],
  ])('for %j is worth another attempt: %s', (stderr, retryable) => {
    const result = { exitCode: 128, stdout: '', stderr, truncated: false, timedOut: false }
    expect(cloneFailure('x', result, 300_000)).toMatchObject({ code: 'clone_failed', retryable })
    // Whether there is another attempt is for the queue to say.
    const slow = cloneFailure('x', { ...result, timedOut: true }, 300_000)
    for (const { message } of [cloneFailure('x', result, 300_000), slow]) expect(message).not.toMatch(/again/)
  })

  it('for a rate limit is worth another attempt after a minute', () => {
    const stderr = "fatal: unable to access 'https://x/': The requested URL returned error: 429"
    const result = { exitCode: 128, stdout: '', stderr, truncated: false, timedOut: false }
    expect(cloneFailure('x', result, 300_000)).toMatchObject({ retryable: true, retryAfterMs: 60_000 })
  })
})

describe('a repository that is no form of one', () => {
  it('is refused before anything is prepared', async () => {
    const failing = createAgentOn(bench, looking()).run({ repository: '--upload-pack=touch pwned' })
    await expect(failing).rejects.toMatchObject({ code: 'repository_invalid', retryable: false })
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

describe('a clone by https', () => {
  it.each(['127.0.0.1', 'repository.test'])(
    'works from an allowed host, %s, at the checked address',
    async (name) => {
      await using host = await startGitHost(await repositories.folderIn('https'))
      const { result, calls } = await repositories.cloneFrom(host, name)
      // No name server knows repository.test: git found it by its pin alone.
      expect(await result).toMatchObject({ success: true })
      expect(host.heard).toContain('/owner/repo.git/HEAD')
      expect(calls.filter(({ network }) => network).map(({ args }) => args.includes('clone'))).toEqual([true])
    },
  )

  it('asks for no credentials, and says that the repository may be private', async () => {
    await using host = await startGitHost(await repositories.folderIn('private'), {
      answer: (_request, response) =>
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
    })
    await expect((await repositories.cloneFrom(host, '127.0.0.1')).result).rejects.toThrow(
      /is private. Check the name/,
    )
  })
})
