import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createCodeHost } from '../../lib/adapters/code-host/code-host.ts'
import type { Command } from '../../lib/adapters/node/command.ts'
import { createGit } from '../../lib/adapters/node/git.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createWorkspaces } from '../../lib/adapters/node/workspace.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { AgentContext, AgentTask } from '../../lib/ports/agent.ts'
import type { TestCodeHost } from './code-host.ts'
import { createAgentOn } from './coding-agent.ts'
import { createScriptedModels } from './scripted-models.ts'
import type { Workbench } from './workbench.ts'

/** A token that may do all, and a secret of the settings. */
export const TOKEN = 'gho_CANARYcanaryCANARYcanary0123456789ab'
export const SECRET = 'a-configured-secret-0123456789'

export const call = (name: string, args: unknown) => ({ name, arguments: args })
type Call = ReturnType<typeof call>
export const edit = call('edit_file', { path: 'greeting.txt', oldText: 'world', newText: 'everybody' })
export const looking = call('list_files', {})

export type Given = {
  calls?: Call[]
  /** What a program of the agent did to the workspace besides. */
  script?: string
  output?: string
  token?: string | undefined
  scopes?: string[]
  isWanted?: boolean
  /** The authorities that git trusts, in place of the host's. */
  caFile?: string
  about?: Partial<AgentTask>
  attempt?: number
  /** The rest of the context, as of a later turn of a thread. */
  context?: Partial<AgentContext>
}

/** A run of the coding agent on the repository of a code host, by the account of that token; none where it is undefined. */
export const runHosted = async (bench: Workbench, host: TestCodeHost, given: Given = {}) => {
  const {
    calls = [edit],
    script = 'true',
    output = 'Done',
    isWanted = true,
    caFile = host.caFile,
    scopes = ['repo'],
    about,
    attempt = 1,
    context = {},
  } = given
  const token = 'token' in given ? given.token : TOKEN
  const commands: Command[] = []
  const noted = {
    run: (command: Command) => {
      commands.push(command)
      return bench.commands.run(command)
    },
  }
  const { dir, clock, found } = bench
  const git = createGit({ commands: noted, caFile })
  const owners = 'sandbox' in found ? found.sandbox.owners : undefined
  const workspaces = createWorkspaces({ dir, clock, commands: noted, git, owners })
  const planting = () => {
    // The workspace belongs to another user, as whom programs of agents run.
    const safe = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
    const cwd = join(dir, context.workspace ?? `task_1-${attempt}`, 'work')
    execFileSync('sh', ['-c', `set -e; ${script}`], { cwd, env: { ...process.env, ...safe } })
    return { text: output }
  }
  const models = createScriptedModels([{ calls }, planting])
  const agent = createAgentOn({ ...bench, git, workspaces }, models, {
    repositories: { allow: ['127.0.0.1'], base: host.origin, isLinked: true },
    publication: {
      accountFor: async () => (token === undefined ? undefined : { token, scopes }),
      codeHost: createCodeHost({ apiUrl: host.apiUrl, fetch: createProviderFetch(), clock }),
      isWanted: () => isWanted,
      mask: createMasker([SECRET]).text,
    },
  })
  const ended = await agent
    .run({ repository: 'owner/repo', ...about }, undefined, attempt, context)
    .then((result) => ({ result, error: undefined }))
    .catch((error: Error) => ({ result: undefined, error }))
  return { ...agent, ...ended, commands, models, published: ended.result?.published }
}
