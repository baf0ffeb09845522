import { type Environment, launchService } from '../journeys/service.ts'

type Given = {
  url: string
  token: string
  name: string
  /** Of its workspaces and unsent outcomes. */
  folder: string
  env?: Environment
  args?: readonly string[]
  nodeArgs?: readonly string[]
  node?: string
  mostMs?: number
}

/** The program `agent-tasks runner`, in a process of its own. */
export const launchRunner = ({ url, token, name, folder, env = {}, args = [], ...program }: Given) =>
  launchService({
    args: ['bin/agent-tasks.js', 'runner', '--url', url, '--name', name, '--dir', folder, ...args],
    env: { RUNNER_TOKEN: token, ...env },
    endsWithParent: true,
    ...program,
  })
export type RunnerProgram = ReturnType<typeof launchRunner>
