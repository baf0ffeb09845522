import { existsSync, readFileSync } from 'node:fs'
import { access, chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { cloneFailure } from '../../../lib/adapters/agents/repository/git-failures.ts'
import type { Command } from '../../../lib/adapters/node/command.ts'
import { createGit } from '../../../lib/adapters/node/git.ts'
import type { Resolve } from '../../../lib/adapters/node/outbound-address.ts'
import { createWorkspaces } from '../../../lib/adapters/node/workspace.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { makeBareRepository, startGitHost } from '../../fakes/git-host.ts'
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

const folderIn = (name: string) => mkdtemp(join(bench.folder, `${name}-`))

/** The bench with a note of every command, for what the sandbox is told to give it. */
const noting = (caFile?: string) => {
  const calls: Command[] = []
  const commands = {
    ...bench.commands,
    run: (command: Command) => {
      calls.push(command)
      return bench.commands.run(command)
    },
  }
  const git = createGit({ commands, caFile })
  const { dir, clock } = bench
  return {
    calls,
    on: { ...bench, commands, git, workspaces: createWorkspaces({ dir, clock, commands, git }) },
  }
}

const readableFolders = async (about: { repository: string }) => {
  const { calls, on } = noting()
  await createAgentOn(on, looking()).run(about)
  return calls.flatMap(({ reads }) => (reads ? [reads] : []))
}

/** Clones from a host on loopback that the operator allows; its name stands for it. */
const cloneFrom = async (
  host: Awaited<ReturnType<typeof startGitHost>>,
  name: string,
  lookup: Resolve = async () => ['127.0.0.1'],
) => {
  const { calls, on } = noting(host.caFile)
  const repositories = { allow: ['127.0.0.0/8'], lookup }
  const repository = `https://${name}:${host.port}/owner/repo.git`
  return { result: createAgentOn(on, looking(), { repositories }).run({ repository }), calls }
}

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
    await gitIn(bench.git, join(bench.folder, 'source'), 'worktree', 'add', '-q', linked, 'feature')
    const [cloned] = await readableFolders({ repository: linked })
    const common = join(bench.folder, 'source/.git')
    expect(cloned).toEqual([join(common, 'worktrees/linked'), common])
  })
})

describe('a clone by https', () => {
  it.each(['127.0.0.1', 'repository.test'])(
    'works from an allowed host, %s, at the checked address',
    async (name) => {
      await using host = await startGitHost(await folderIn('https'))
      const { result, calls } = await cloneFrom(host, name)
      // No name server knows repository.test: git found it by its pin alone.
      expect(await result).toMatchObject({ success: true })
      expect(host.heard).toContain('/owner/repo.git/HEAD')
      expect(calls.filter(({ network }) => network).map(({ args }) => args.includes('clone'))).toEqual([true])
    },
  )

  it('connects to no address but the checked, whatever the name stands for later', async () => {
    await using host = await startGitHost(await folderIn('moved'))
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const { result } = await cloneFrom(host, 'repository.test', async () => answers.shift() ?? [])
    expect(await result).toMatchObject({ success: true })
    expect(answers).toEqual([['127.0.0.2']])
  })

  it.each([
    [
      'a redirect',
      (to: string) => ({
        url: '/owner/repo.git/info/refs',
        status: 302,
        headers: { location: `${to}/info/refs` },
        body: '',
      }),
    ],
    [
      'an alternate',
      (to: string) => ({
        url: '/owner/repo.git/objects/info/http-alternates',
        status: 200,
        headers: {},
        body: `${to}/objects\n`,
      }),
    ],
  ])('does not follow %s', async (_title, misleading) => {
    await using inside = await startGitHost(await folderIn('inside'))
    const lead = misleading(`https://127.0.0.1:${inside.port}/owner/repo.git`)
    const bare = makeBareRepository(await folderIn('lead'))
    await using host = await startGitHost(await folderIn('outside'), {
      answer: ({ url = '' }, response) => {
        const [path = ''] = url.split('?')
        if (path === lead.url) return response.writeHead(lead.status, lead.headers).end(lead.body)
        // All but the objects, which are said to be elsewhere.
        const file = path.replace('/owner/repo.git', bare)
        if (path.includes('/objects/') || !existsSync(file)) return response.writeHead(404).end()
        return response.end(readFileSync(file))
      },
    })
    const { result } = await cloneFrom(host, '127.0.0.1')
    await expect(result).rejects.toMatchObject({ code: 'clone_failed' })
    expect(host.heard.length).toBeGreaterThan(0)
    expect(inside.connections).toBe(0)
  })

  it('asks for no credentials, and says that the repository may be private', async () => {
    await using host = await startGitHost(await folderIn('private'), {
      answer: (_request, response) =>
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
    })
    await expect((await cloneFrom(host, '127.0.0.1')).result).rejects.toThrow(/is private. Check the name/)
  })
})
