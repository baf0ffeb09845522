import * as z from 'zod'
import { isOwnPullRequest } from '../core/own-pull-request.ts'
import {
  type Ask,
  firstLabelKind,
  type Labels,
  labelKinds,
  type Provider,
  type Rule,
  rule,
  type Verdict,
  type Withdrawal,
} from './ask.ts'
import { orderIn } from './order.ts'
import { lenient, lenientList, optionalText } from './outside-text.ts'

// The fields of GitHub's webhook payloads that are read here: docs.github.com/webhooks/webhook-events-and-payloads

const User = lenient(z.object({ login: optionalText, type: optionalText }))
const LabelName = z.object({ name: z.string() }).transform(({ name }) => name)

const about = {
  number: z.int(),
  title: optionalText,
  body: optionalText,
  html_url: optionalText,
  labels: lenientList(LabelName),
  user: User,
  author_association: optionalText,
}

const Repository = z.object({ id: z.int().optional().catch(undefined), full_name: z.string() })

/** A pull request is an issue with this field. */
const Issue = z.object({ ...about, pull_request: z.unknown().optional() })

const KnownSide = z.object({
  ref: optionalText,
  sha: optionalText,
  repo: lenient(z.object({ full_name: optionalText })),
})
const Side = KnownSide.catch(KnownSide.parse({}))

const PullRequest = z.object({ ...about, head: Side, base: Side })

const Comment = z.object({
  body: optionalText,
  html_url: optionalText,
  user: User,
  author_association: optionalText,
  performed_via_github_app: z.unknown().optional(),
})

/** `sender` is the account whose act caused the event. */
const IssueEvent = z.object({ issue: Issue, label: lenient(LabelName), repository: Repository, sender: User })
const CommentEvent = z.object({ issue: Issue, comment: Comment, repository: Repository })
const PullRequestEvent = z.object({
  pull_request: PullRequest,
  label: lenient(LabelName),
  repository: Repository,
  sender: User,
})

type IssueEvent = z.output<typeof IssueEvent>
type CommentEvent = z.output<typeof CommentEvent>
type PullRequestEvent = z.output<typeof PullRequestEvent>

type User = z.output<typeof User>

/** The author associations of people who may request a task. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

/**
 * Whether the author of an issue or a pull request caused the event, and is an outsider. Authors need no rights for that:
 * templates label what they open, and CODEOWNERS requests reviews of it. For acts on what others opened GitHub demands the
 * triage role, and programs have rights only where they are installed. The payload has no association of the sender; one
 * without a sender counts as an act of the author.
 */
const isByOutsider = (
  sender: User,
  { user: author, author_association: association }: Pick<About['issue'], 'user' | 'author_association'>,
): boolean => {
  const actor = sender ?? author
  const isAuthor = actor?.login?.toLowerCase() === author?.login?.toLowerCase()
  return isAuthor && !isProgram(actor) && association !== undefined && !TRUSTED.has(association)
}
const BY_OUTSIDER =
  'The author is outside the repository. An owner, member or collaborator must add the label'

type About = Pick<IssueEvent, 'repository'> & { issue: Omit<IssueEvent['issue'], 'pull_request'> }

type Named = { repository: About['repository']; issue: Pick<About['issue'], 'number'> }

/** Issues and pull requests share one numbering. A renamed repository keeps its number. */
const issueName = ({ issue, repository }: Named): string =>
  `${repository.id ?? repository.full_name.toLowerCase()}#${issue.number}`

const askAbout = (kind: Ask['kind'], { issue, repository }: About): Ask => ({
  kind,
  issue: issueName({ issue, repository }),
  at: { id: `${repository.full_name}#${issue.number}` },
  sourceId: `${repository.full_name}#${issue.number}`,
  title: issue.title,
  description: issue.body,
  url: issue.html_url,
  labels: issue.labels,
  repository: repository.full_name,
  facts: { author: issue.user?.login },
})

const NO_LABEL = 'The issue does not have the task label'

const opened = (event: IssueEvent, labels: Labels): Ask | string => {
  const openedWith = labelKinds(event.issue.labels, labels)
  const [kind] = openedWith
  if (kind === undefined) return NO_LABEL
  return isByOutsider(event.sender, event.issue) ? BY_OUTSIDER : { ...askAbout(kind, event), openedWith }
}

const labeled = (event: IssueEvent, labels: Labels): Ask | string => {
  const kind = firstLabelKind(event.label ? [event.label] : [], labels)
  if (kind === undefined) return 'This is not the task label'
  return isByOutsider(event.sender, event.issue) ? BY_OUTSIDER : askAbout(kind, event)
}

const commented = (event: CommentEvent): Ask | string => {
  const { comment, issue } = event
  const order = orderIn(comment.body, 'markdown')
  if (order === undefined) return 'The comment does not start with /ai and a request'
  if (isMachine(comment)) return 'Comments of bots do not create tasks'
  if (!TRUSTED.has(comment.author_association ?? ''))
    return 'Only comments of owners, members and collaborators create tasks'
  const ask = askAbout('comment', event)
  const what = issue.pull_request ? { 'is a': 'pull request' } : {}
  return { ...ask, order, facts: { ...ask.facts, ...what, 'comment at': comment.html_url } }
}

/** Comments of programs are ignored: two programs could answer each other without end. */
const isMachine = ({ user, performed_via_github_app: app }: CommentEvent['comment']): boolean =>
  isProgram(user) || Boolean(app)

const isProgram = (user: User): boolean =>
  user?.type?.toLowerCase() === 'bot' || (user?.login ?? '').endsWith('[bot]')

/** Whether the branch is in this repository, and not in a fork. */
const isOfRepository = ({ pull_request: { head }, repository }: PullRequestEvent): boolean =>
  head.repo?.full_name === repository.full_name

const toReview = (event: PullRequestEvent): Ask | string => {
  const { pull_request: issue, repository, sender } = event
  if (isByOutsider(sender, issue)) return BY_OUTSIDER
  const { head, base } = issue
  const ask = askAbout('review', { issue, repository })
  const isOwn = isOfRepository(event)
  return {
    ...ask,
    branch: isOwn ? head.ref : undefined,
    facts: {
      ...ask.facts,
      commit: head.sha,
      'goes to': base.ref,
      ...(isOwn ? {} : { 'comes from': head.repo?.full_name, 'branch there': head.ref }),
    },
  }
}

/** A rule may request reviews of all changes; reviews of agents' changes would cause others without end. */
const reviewRequested = (event: PullRequestEvent): Ask | string => {
  const { head, body } = event.pull_request
  return isOfRepository(event) && isOwnPullRequest(head.ref, body)
    ? 'Pull requests of this service are only reviewed with a label'
    : toReview(event)
}

const labeledChange = (event: PullRequestEvent, { review }: Labels): Ask | string =>
  event.label?.toLowerCase() === review.toLowerCase() ? toReview(event) : 'This is not the review label'

const closed = (about: Named): Withdrawal => ({ issue: issueName(about), withdrawn: 'all' })

const unlabeled = (about: Named, label: string | null | undefined, labels: Labels): Verdict => {
  const withdrawn = labelKinds(label ? [label] : [], labels)
  return withdrawn.length === 0 ? 'This was not the task label' : { issue: issueName(about), withdrawn }
}

const pullRequestIssue = ({ pull_request: issue, repository }: PullRequestEvent): Named => ({
  issue,
  repository,
})

const rules: Readonly<Record<string, Rule>> = {
  ping: () => 'The webhook works',
  'issues.opened': rule(IssueEvent, opened),
  'issues.labeled': rule(IssueEvent, labeled),
  'issues.unlabeled': rule(IssueEvent, (event, labels) => unlabeled(event, event.label, labels)),
  'issues.closed': rule(IssueEvent, closed),
  'issues.deleted': rule(IssueEvent, closed),
  'issues.transferred': rule(IssueEvent, closed),
  'issue_comment.created': rule(CommentEvent, commented),
  'pull_request.labeled': rule(PullRequestEvent, labeledChange),
  'pull_request.unlabeled': rule(PullRequestEvent, (event, labels) =>
    unlabeled(pullRequestIssue(event), event.label, labels),
  ),
  'pull_request.closed': rule(PullRequestEvent, (event) => closed(pullRequestIssue(event))),
  'pull_request.review_requested': rule(PullRequestEvent, reviewRequested),
}

const Acted = z.object({ action: z.string() })

export const codehost: Provider = {
  /** `issues.labeled`: the header gives the subject, the payload the action. */
  eventName: (payload, header) => {
    const action = Acted.safeParse(payload).data?.action
    return header === undefined || action === undefined ? header : `${header}.${action}`
  },
  rules,
}
