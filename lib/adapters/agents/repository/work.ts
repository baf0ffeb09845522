import { cutText } from '../../../core/cut-text.ts'
import { Problem } from '../../../core/errors.ts'
import type { AgentContext, AgentTask } from '../../../ports/agent.ts'
import type { Repositories, Source } from '../../../ports/repositories.ts'
import { type Workspace, type Workspaces, workspaceName } from '../../../ports/workspace.ts'
import type { Git } from '../../node/git.ts'
import { changesIn, type FileChange } from './changes.ts'
import { type Checkout, createCheckout } from './checkout.ts'
import { restorePatch } from './patch.ts'
import { createPublish, gitCredential, type Publication } from './publish.ts'

/** The files of a run: its workspace, and the branch and commit that it began with. */
export type Work = { workspace: Workspace; at: Checkout }

export type RepositoryNeeds = {
  workspaces: Workspaces
  git: Git
  repositories: Pick<Repositories, 'sourceOf'>
  /** Whether tasks of this user may clone any path of this machine. */
  isLocalAdmin: (userId: string) => boolean
  /** The code host, if users can link its accounts. */
  publication?: Publication | undefined
}

type Left = Checkout & { patch?: string }

/**
 * The repository of a task's run, for every agent: the checkout that it begins with, the changes that it left, and the
 * pull request with them. Each attempt has its own folder, safe from late processes of others.
 */
export const createRepositoryWork = (needs: RepositoryNeeds) => {
  const { workspaces, git, repositories, isLocalAdmin, publication } = needs
  const checkout = createCheckout({ git })
  const publish = publication && createPublish(publication)

  // The repository was checked at the create; it is checked again because names may resolve differently, and imports are
  // not checked.
  const taskSource = async ({ repository, createdBy }: AgentTask) =>
    repository ? repositories.sourceOf(repository, { isLocalAdmin: isLocalAdmin(createdBy) }) : undefined

  /** The credential for a clone from the code host: tokens of linked accounts are sent nowhere else. */
  const credentialFor = async (task: AgentTask, source: Source | undefined, { keepSecret }: AgentContext) => {
    if (source?.transport !== 'https' || source.hosted === undefined) return undefined
    const account = await publication?.accountFor(task.createdBy)
    if (account === undefined) return undefined
    keepSecret(account.token)
    return gitCredential(account)
  }

  const cloneInto = async (
    workspace: Workspace,
    task: AgentTask,
    source: Source | undefined,
    context: AgentContext,
  ) => {
    const credential = await credentialFor(task, source, context)
    const wanted = { taskId: task.id, source, branch: task.branch, credential, signal: context.signal }
    return checkout(workspace, wanted)
  }

  return {
    /** A new checkout of the task's repository, or an empty repository. */
    prepare: async (task: AgentTask, context: AgentContext): Promise<Work> => {
      const source = await taskSource(task)
      const workspace = await workspaces.create(workspaceName(task.id, context.attempt))
      context.progress(source ? cutText(`Cloning ${source.shown}`, 300) : 'Preparing an empty workspace')
      return { workspace, at: await cloneInto(workspace, task, source, context) }
    },
    /** The workspace of a run that waited; rebuilt with its patch if it no longer exists. */
    reopen: async (task: AgentTask, context: AgentContext, left: Left): Promise<Work> => {
      const workspace = await workspaces.open(workspaceName(task.id, context.attempt))
      const { branch, baseCommit, destination } = left
      if ((await workspace.list('.', 1)).names.length > 0)
        return { workspace, at: { branch, baseCommit, ...(destination && { destination }) } }
      context.progress('Rebuilding the workspace')
      const at = await cloneInto(workspace, task, await taskSource(task), context)
      await restorePatch(workspace, left.patch, at.baseCommit, context.signal)
      return { workspace, at }
    },
    /** The changes of a run. Work that is done counts, also where nothing of its files can be read. */
    changes: async ({ workspace, at }: Work, { signal, progress }: AgentContext) => {
      try {
        return await changesIn(workspace, at.baseCommit, signal)
      } catch (thrown) {
        signal.throwIfAborted()
        progress(thrown instanceof Problem ? thrown.message : 'The changes could not be read')
        return { filesChanged: [], diff: '', leftOut: [{ path: '.', reason: 'unreadable' as const }] }
      }
    },
    /** Pushes the changes and opens a pull request where that is wanted and possible. */
    publish: async (
      work: Work,
      task: AgentTask,
      done: { output: string; filesChanged: readonly FileChange[] },
      context: AgentContext,
    ) => publish?.({ ...work, ...done, task, context, readSource: () => taskSource(task) }),
  }
}
