import { cutText } from '../../../core/cut-text.ts'
import { Problem } from '../../../core/errors.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import { durationText } from '../../../core/time.ts'
import { withoutPaths } from '../../../core/without-paths.ts'
import type { HostedName } from '../../../ports/repositories.ts'
import type { CommandResult } from '../../../ports/workspace.ts'

// Git's messages are in English, since commands run with LANG=C.UTF-8.
const UNREACHED =
  /could not resolve host|connection refused|failed to connect|couldn't connect|timed out|connection reset|early eof|unexpected disconnect|returned error: (?:5|429)/i
const NOT_ALLOWED =
  /could not read (?:username|password)|terminal prompts disabled|authentication failed|permission denied|returned error: 40[13]/i
const NOT_THERE = /not found|does not exist|does not appear to be a git repository|no such file or directory/i
const RATE_LIMITED = /returned error: 429/i
/** Git does not show the `Retry-After` of an answer. Code hosts ask for at least a minute. */
const RATE_LIMIT_WAIT_MS = 60_000

/** The causes of a failed clone, in the order of checks. */
const causes: readonly { sign: RegExp; advice: string; retryable: boolean }[] = [
  { sign: /no space left on device/i, advice: 'the disk of the service is full', retryable: true },
  { sign: UNREACHED, advice: 'the host could not be reached', retryable: true },
  {
    sign: NOT_ALLOWED,
    advice: 'it does not exist or is private. Check the name, and link an account with access',
    retryable: false,
  },
  { sign: NOT_THERE, advice: 'it does not exist. Check the name', retryable: false },
  {
    sign: /returned error: 30|unable to update url base from redirection/i,
    advice: 'it has moved. Use its new address',
    retryable: false,
  },
  {
    sign: /dubious ownership|transport |not a valid|invalid gitfile/i,
    advice: 'git rejects it. Check its owner and format',
    retryable: false,
  },
]

const lastLine = (text: string) => cutText(withoutPaths(text.trim().split('\n').at(-1) ?? ''), 200)

/** The limit for which a command was stopped, in words that follow a colon; undefined for none. */
const stopReason = ({ exceeded, timedOut }: CommandResult, timeoutMs: number): string | undefined =>
  exceeded?.message ?? (timedOut ? `it took longer than ${durationText(timeoutMs)}` : undefined)

/** Whether a host refused access, by any answer: to tell the answers apart could reveal whether a repository exists. */
export const isRefusal = ({ stderr }: Pick<CommandResult, 'stderr'>): boolean =>
  !UNREACHED.test(stderr) && (NOT_ALLOWED.test(stderr) || NOT_THERE.test(stderr))

/** The error of a repository of the code host that an account may not read. */
export const accessRefused = (shown: string) =>
  taskFailure(
    'forbidden',
    'clone_failed',
    `Cloning ${shown} failed: it does not exist, or the linked account cannot read it. Check the name, and link a GitHub account with access`,
    false,
  )

/** The error of a failed clone: the cause, advice, and whether another attempt may succeed. */
export const cloneFailure = (shown: string, result: CommandResult, timeoutMs: number) => {
  const { stderr, timedOut, exceeded } = result
  const cause = causes.find(({ sign }) => sign.test(stderr))
  const advice =
    stopReason(result, timeoutMs) ?? cause?.advice ?? (lastLine(stderr) || 'git ended without a message')
  // A repository that is too large for the limits stays so.
  const retryable = exceeded === undefined && (timedOut || (cause?.retryable ?? true))
  const wait = RATE_LIMITED.test(stderr) ? { retryAfterMs: RATE_LIMIT_WAIT_MS } : {}
  return taskFailure('unavailable', 'clone_failed', `Cloning ${shown} failed: ${advice}`, retryable, wait)
}

/** The error of git in the workspace of a task, before its agent begins. */
export const workspaceFailure = (subcommand: string, result: CommandResult, timeoutMs: number) => {
  const why = stopReason(result, timeoutMs) ?? cutText(withoutPaths(result.stderr.trim()), 300)
  const retryable = result.exceeded === undefined
  return taskFailure('unavailable', 'workspace_failed', `git ${subcommand} failed: ${why}`, retryable)
}

const CANNOT_LOCK = /cannot lock ref/i
const MOVED = /stale info|non-fast-forward|fetch first|cannot lock ref/i
const REFUSED = /remote rejected|hook declined|protected branch|refusing to allow/i

/** The error of a failed push: the cause, and advice. */
export const pushFailure = ({ owner, name }: HostedName, branch: string, result: CommandResult): Problem => {
  const { stderr, timedOut, exceeded } = result
  // The code host explains its refusals in lines of its own; git's own message is the same for all.
  if (REFUSED.test(stderr) && !CANNOT_LOCK.test(stderr))
    return new Problem(
      'forbidden',
      'push_refused',
      `GitHub rejected the push to ${branch}: the branch is protected, or the linked account lacks a permission (workflows need the scope workflow)`,
    )
  if (MOVED.test(stderr))
    return new Problem(
      'invalid',
      'branch_moved',
      `${branch} has commits that are not from this task. They were not overwritten. Merge or delete the branch, then retry the task`,
    )
  if (timedOut || UNREACHED.test(stderr))
    return new Problem(
      'unavailable',
      'code_host_unavailable',
      'The changes could not be pushed because GitHub could not be reached. Retry the task',
    )
  if (isRefusal(result))
    return new Problem(
      'forbidden',
      'push_forbidden',
      `The linked account cannot push to ${owner}/${name}. Link an account with write access`,
    )
  const why = exceeded?.message ?? 'retry the task'
  return new Problem('unavailable', 'push_failed', `The changes could not be pushed to ${branch}: ${why}`)
}
