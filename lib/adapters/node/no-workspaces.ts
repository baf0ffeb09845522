import type { Workspaces } from '../../ports/workspace.ts'

/** The workspaces of a process that runs no agents: every verb is refused. */
export const noWorkspaces = (refuse: () => Promise<never>): Workspaces => ({
  create: refuse,
  open: refuse,
  pack: refuse,
  unpack: refuse,
  marked: refuse,
  mark: refuse,
  remove: refuse,
})
