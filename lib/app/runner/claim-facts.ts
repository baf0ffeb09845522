import type { CodeHostAccount } from '../../ports/code-host.ts'
import type { Claim } from '../../runners/schema.ts'

type Links = ReadonlyMap<string, { readonly claim: Claim }>

/** What the service says beside the tasks of a runner's claims: the newest claim that says it counts. */
export const createClaimFacts = (links: Links) => {
  const newest = (says: (claim: Claim) => boolean = () => true): Claim | undefined =>
    [...links.values()].map(({ claim }) => claim).findLast(says)
  const isOf =
    (userId: string) =>
    ({ task }: Claim) =>
      task.createdBy === userId
  return {
    /** The account of a user. A claim of a task without a repository has none. */
    accountFor: async (userId: string): Promise<CodeHostAccount | undefined> =>
      newest((claim) => isOf(userId)(claim) && claim.credential !== undefined)?.credential,
    /** Whether changes of a repository become pull requests. */
    isWanted: (): boolean => newest()?.publishes === true,
    /** The mode of tasks that name none. */
    securityMode: (): Claim['securityMode'] => newest()?.securityMode ?? 'ask',
    isLocalAdmin: (userId: string): boolean => newest(isOf(userId))?.ownerIsLocalAdmin === true,
  }
}
