import { Problem } from '../../../core/errors.ts'
import type { CommandResult } from '../../../ports/command.ts'
import type { HostedName } from '../../../ports/repositories.ts'
import { isRefusal, isUnreached } from './clone-failure.ts'

const MOVED: readonly string[] = ['stale info', 'non-fast-forward', 'fetch first', 'cannot lock ref']
const REFUSED: readonly string[] = [
  'remote rejected',
  'hook declined',
  'protected branch',
  'refusing to allow',
]

/** Why a push failed, and what to do about it. */
export const pushFailure = ({ owner, name }: HostedName, branch: string, result: CommandResult): Problem => {
  const said = result.stderr.toLowerCase()
  const has = (signs: readonly string[]) => signs.some((sign) => said.includes(sign))
  // The code host says that it refuses in lines of its own, beside which git's own words are the same for all.
  if (has(REFUSED) && !has(['cannot lock ref']))
    return new Problem(
      'forbidden',
      'push_refused',
      `The code host takes no such push to ${branch}: a rule protects the branch, or the changes need more than the linked account was granted (workflows need the scope workflow)`,
    )
  if (has(MOVED))
    return new Problem(
      'invalid',
      'branch_moved',
      `${branch} has commits that this task did not make, and they were not overwritten: merge or delete the branch, then run the task again`,
    )
  if (isUnreached(result))
    return new Problem(
      'unavailable',
      'code_host_unavailable',
      'The code host could not be reached to push the changes: run the task again',
    )
  if (isRefusal(result))
    return new Problem(
      'forbidden',
      'push_forbidden',
      `The linked account may not push to ${owner}/${name}: link one that may write there, with a token that allows it`,
    )
  return new Problem(
    'unavailable',
    'push_failed',
    `The changes could not be pushed to ${branch}: run the task again`,
  )
}
