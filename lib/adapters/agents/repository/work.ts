import { cutText } from '../../../core/cut-text.ts'
import { Problem } from '../../../core/errors.ts'
import type { AgentContext, AgentTask, LeftByFailure } from '../../../ports/agent.ts'
import type { Repositories, Source } from '../../../ports/repositories.ts'
import type { Workspace, Workspaces } from '../../../ports/workspace.ts'
import type { Git } from '../../node/git.ts'
import { changesIn, type FileChange } from './changes.ts'
import { type Checkout, createCheckout } from './checkout.ts'
import { restorePatch, treePatch, workspacePatch } from './patch.ts'
import { createPublish, gitCredential, type Publication } from './publish.ts'
import { type Clone, type FilesLeft, goOn, type Position, resetFiles } from './thread-files.ts'

/** The files of a run, and what its agent has to know about how they came to be. */
export type Work = Position & {
  workspace: Workspace
  name: string
  /** The session of its agent, which has worked in these files before. */
  agentSession?: string
  /** The patch of the files at the end of the run, and the commit that it fits. */
  patch?: { base: string; text: string | undefined }
}

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
/** The position of a workspace, and the task whose run has it: in the mark, which programs cannot change. */
type Marked = Position & { taskId: string; agentSession?: string }

const atStart = (at: Checkout, notes: readonly string[] = []): Position => ({
  at,
  start: at.baseCommit,
  threadBase: at.baseCommit,
  notes,
})

/**
 * The repository of a task's run, for every agent: the checkout that it begins with, the changes that it left, and the
 * pull request with them. Each attempt of a first turn has its own folder, safe from late processes of others; all later
 * turns of its thread go on in the folder of the last one.
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

  const openClone = async (task: AgentTask, context: AgentContext): Promise<Clone> => {
    const source = await taskSource(task)
    const credential = await credentialFor(task, source, context)
    const { signal } = context
    const into = (workspace: Workspace, branch = task.branch) =>
      checkout(workspace, { taskId: task.id, source, branch, credential, signal })
    return { source, credential, signal, into }
  }

  const remember = async (work: Work, task: AgentTask): Promise<Work> => {
    const { name, at, start, threadBase, notes, agentSession } = work
    const marked: Marked = {
      taskId: task.id,
      at,
      start,
      threadBase,
      notes,
      ...(agentSession !== undefined && { agentSession }),
    }
    await workspaces.mark(name, JSON.stringify(marked))
    return work
  }

  /** The workspace of that name with its position; undefined when it no longer exists. It may be empty. */
  const existingWork = async (name: string): Promise<(Work & { taskId: string }) | undefined> => {
    const mark = await workspaces.marked(name)
    if (mark === undefined) return undefined
    return { workspace: await workspaces.open(name), name, ...(JSON.parse(mark) as Marked) }
  }

  const begin = async (task: AgentTask, context: AgentContext): Promise<Work> => {
    const clone = await openClone(task, context)
    const name = context.workspace
    const workspace = await workspaces.create(name)
    const { source } = clone
    context.progress(source ? cutText(`Cloning ${source.shown}`, 300) : 'Preparing an empty workspace')
    return remember({ workspace, name, ...atStart(await clone.into(workspace)) }, task)
  }

  /** The workspace for a later turn, brought up to date with the branch on the code host. */
  const beginAgain = async (task: AgentTask, context: AgentContext): Promise<Work> => {
    const name = context.workspace
    const clone = await openClone(task, context)
    const existing = await existingWork(name)
    const left = (context.earlier?.continuation as { files?: FilesLeft } | undefined)?.files
    const workspace = existing?.workspace ?? (await workspaces.create(name))
    const position = await goOn(workspace, clone, { existing, left })
    for (const note of position.notes) context.progress(cutText(note, 2_000))
    const agentSession = existing?.agentSession
    return remember(
      { workspace, name, ...position, ...(agentSession !== undefined && { agentSession }) },
      task,
    )
  }

  /** What the next turn needs where the workspace no longer exists. */
  const left = async (
    { workspace, at, threadBase, patch: storedPatch }: Work,
    { signal }: Pick<AgentContext, 'signal'>,
  ): Promise<FilesLeft> => {
    // After a push the commit is another one.
    const patch =
      storedPatch?.base === at.baseCommit
        ? storedPatch.text
        : await workspacePatch(workspace, at.baseCommit, signal)
    return { at, threadBase, ...(patch === undefined ? {} : { patch }) }
  }

  /**
   * The changes of a run, and in a later turn `thread`, those of all turns. Work that is done counts, also where nothing
   * of its files can be read.
   */
  const changes = async (
    work: Work,
    { signal, progress, earlier }: Pick<AgentContext, 'signal' | 'progress' | 'earlier'>,
  ) => {
    const { workspace, start, threadBase } = work
    progress('Collecting changes')
    try {
      const snapshot = await workspace.tree(start, [], signal)
      const changed = await changesIn(snapshot, start)
      const isUnchanged = changed.filesChanged.length === 0
      work.patch = { base: start, text: isUnchanged ? '' : await treePatch(snapshot, start, signal) }
      if (earlier === undefined) return changed
      const ofThread = await workspace.tree(threadBase, [], signal)
      const { filesChanged, diff } = await changesIn(ofThread, threadBase)
      return { ...changed, thread: { baseCommit: threadBase, filesChanged, diff } }
    } catch (thrown) {
      signal.throwIfAborted()
      progress(thrown instanceof Problem ? thrown.message : 'The changes could not be read')
      return { filesChanged: [], diff: '', leftOut: [{ path: '.', reason: 'unreadable' as const }] }
    }
  }

  return {
    left,
    changes,
    /**
     * The failure of a run with its result, which has what it changed, and what a reply needs beside `more`. That of a run
     * that was stopped has neither, unless its time was over.
     */
    failureWithWork: async (
      thrown: unknown,
      work: Work,
      { output, ...facts }: { output: string; [fact: string]: unknown },
      context: AgentContext,
      more: object = {},
    ): Promise<unknown> => {
      if (context.signal.aborted && Object(context.signal.reason).code !== 'timeout') return thrown
      const reading = context.signal.aborted ? { ...context, signal: new AbortController().signal } : context
      try {
        const { branch, baseCommit } = work.at
        const changed = await changes(work, reading)
        const kept: LeftByFailure = {
          result: { success: false, output, ...changed, branch, baseCommit, ...facts },
          continuation: { files: await left(work, reading), ...more },
        }
        return Object.assign(Object(thrown), kept)
      } catch {
        // The cause of the failure counts, not that its changes could not be read.
        return thrown
      }
    },
    /**
     * The files that a run begins with. An attempt of a later turn that is not the first gets them as they were at the
     * beginning of the turn, or, where its agent `resumes`, as the attempt before left them.
     */
    prepare: async (task: AgentTask, context: AgentContext, { resumes = false } = {}): Promise<Work> => {
      const isLater = context.earlier !== undefined
      const existing = isLater || resumes ? await existingWork(context.workspace) : undefined
      if (existing?.taskId !== task.id) return isLater ? beginAgain(task, context) : begin(task, context)
      if (!resumes) await resetFiles(existing, context.signal)
      context.progress('Continuing in the workspace of the last attempt')
      return existing
    },
    /** The workspace of a run that waited; rebuilt with its patch if it no longer exists. */
    reopen: async (task: AgentTask, context: AgentContext, left: Left): Promise<Work> => {
      const name = context.workspace
      const existing = await existingWork(name)
      if (existing?.taskId === task.id) return existing
      const { branch, baseCommit, destination } = left
      const workspace = await workspaces.open(name)
      const kept = atStart({ branch, baseCommit, ...(destination && { destination }) })
      if ((await workspace.list('.', 1)).names.length > 0) return { workspace, name, ...kept }
      context.progress('Rebuilding the workspace')
      const clone = await openClone(task, context)
      // The first turn's branch has no commits on the code host yet.
      const at = await clone.into(workspace, context.earlier ? (destination?.branch ?? branch) : task.branch)
      await restorePatch(workspace, left.patch, at.baseCommit, context.signal)
      return remember({ workspace, name, ...atStart(at) }, task)
    },
    /** Pushes the changes and opens a pull request where that is wanted and possible. */
    publish: async (
      work: Work,
      task: AgentTask,
      done: { output: string; filesChanged: readonly FileChange[] },
      context: AgentContext,
    ) => {
      const onPushed = async (commit: string): Promise<void> => {
        const { at } = work
        const destination = at.destination && { ...at.destination, tip: commit }
        work.at = { ...at, baseCommit: commit, ...(destination && { destination }) }
        await remember(work, task)
      }
      return publish?.({ ...work, ...done, task, context, onPushed, readSource: () => taskSource(task) })
    },
    /** Remembers the session of the agent with the files that it works in, for a later attempt or turn. */
    keepSession: async (work: Work, task: AgentTask, agentSession: string): Promise<void> => {
      work.agentSession = agentSession
      await remember(work, task)
    },
  }
}
