import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '../../../lib/adapters/node/command.ts'
import { createGit } from '../../../lib/adapters/node/git.ts'
import type { Resolve } from '../../../lib/adapters/node/outbound-address.ts'
import { createWorkspaces } from '../../../lib/adapters/node/workspace.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import type { startGitHost } from '../../fakes/git-host.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, gitIn } from '../../fakes/workbench.ts'

/** A repository `owner/repo` of a configured host on disk, and what runs of the coding agent make of it and of others. */
export const openRepositories = async () => {
  const bench = await createWorkbench()
  const source = join(bench.folder, 'source')
  const bare = join(bench.folder, 'hosted/owner/repo.git')
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

  return {
    bench,
    bare,
    source,
    folderIn,
    readableFolders,
    cloneFrom,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}
export type Repositories = Awaited<ReturnType<typeof openRepositories>>

export const call = (name: string, args: unknown) => ({ name, arguments: args })
export const looking = () =>
  createScriptedModels([
    { calls: [call('list_files', {}), call('git', { args: ['log', '--oneline'] })] },
    { text: 'Ok' },
  ])

export const seen = (models: ReturnType<typeof createScriptedModels>) =>
  models.requests[1]?.messages
    .flatMap((message) => (message.role === 'tool' ? [message.content] : []))
    .join('\n')
