import { type Ask, kindOf, type Labels, type Rule, rule } from '../ask.ts'
import { orderIn } from '../outside-text.ts'
import { CommentEvent, IssueEvent, PullRequestEvent } from './payload.ts'

/** The author associations whose comments may ask for a task. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

type About = Pick<IssueEvent, 'repository'> & { issue: Omit<IssueEvent['issue'], 'pull_request'> }

/** What an issue or a pull request says of itself; both are numbered in one row. */
const askAbout = (kind: Ask['kind'], { issue, repository }: About): Ask => ({
  kind,
  // A repository that is renamed keeps its number.
  issue: `${repository.id ?? repository.full_name.toLowerCase()}#${issue.number}`,
  sourceId: `${repository.full_name}#${issue.number}`,
  title: issue.title,
  description: issue.body,
  url: issue.html_url,
  labels: issue.labels,
  repository: repository.full_name,
  facts: { author: issue.user?.login },
})

const NO_LABEL = 'The issue has no label that asks for a task'

const opened = (event: IssueEvent, labels: Labels): Ask | string => {
  const kind = kindOf(event.issue.labels, labels)
  return kind === undefined ? NO_LABEL : askAbout(kind, event)
}

const labeled = (event: IssueEvent, labels: Labels): Ask | string => {
  const kind = kindOf(event.label === undefined ? [] : [event.label], labels)
  return kind === undefined ? 'The label asks for no task' : askAbout(kind, event)
}

const commented = (event: CommentEvent): Ask | string => {
  const { comment, issue } = event
  const order = orderIn(comment.body)
  if (order === undefined) return 'The comment does not begin with /ai and what to do'
  if (isMachine(comment)) return 'Comments of programs make no tasks'
  if (!TRUSTED.has(comment.author_association ?? ''))
    return 'Only comments of owners, members and collaborators make tasks'
  const ask = askAbout('comment', event)
  const what = issue.pull_request ? { 'is a': 'pull request' } : {}
  return { ...ask, order, facts: { ...ask.facts, ...what, 'comment at': comment.html_url } }
}

/** Programs that answer each other would not come to an end. */
const isMachine = ({ user, performed_via_github_app: app }: CommentEvent['comment']): boolean =>
  user?.type?.toLowerCase() === 'bot' || (user?.login ?? '').endsWith('[bot]') || Boolean(app)

const reviewOf = ({ pull_request: issue, repository }: PullRequestEvent): Ask => {
  const { head, base } = issue
  const ask = askAbout('review', { issue, repository })
  // A branch of a fork is none of this repository.
  const isOwn = head.repo?.full_name === repository.full_name
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

const labeledChange = (event: PullRequestEvent, { review }: Labels): Ask | string =>
  event.label?.toLowerCase() === review.toLowerCase() ? reviewOf(event) : 'The label asks for no review'

export const rules: Readonly<Record<string, Rule>> = {
  ping: () => 'The webhook works',
  'issues.opened': rule(IssueEvent, opened),
  'issues.labeled': rule(IssueEvent, labeled),
  'issue_comment.created': rule(CommentEvent, commented),
  'pull_request.labeled': rule(PullRequestEvent, labeledChange),
  'pull_request.review_requested': rule(PullRequestEvent, reviewOf),
}
