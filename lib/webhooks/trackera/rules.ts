import type { CreateTask } from '../../tasks/schema.ts'
import { type Ask, kindOf, type Labels, type Rule, rule } from '../ask.ts'
import { orderIn } from '../outside-text.ts'
import { CommentEvent, IssueEvent } from './payload.ts'

/** Jira's priorities, those of older schemes included. */
const priorities: Readonly<Record<string, CreateTask['priority']>> = {
  highest: 1,
  blocker: 1,
  critical: 1,
  high: 2,
  major: 2,
  medium: 3,
  low: 4,
  minor: 4,
  lowest: 4,
  trivial: 4,
}

const priorityNamed = (name = ''): CreateTask['priority'] | undefined => {
  const known = name.toLowerCase()
  return Object.hasOwn(priorities, known) ? priorities[known] : undefined
}

/** The part of an API address before which people find the same site. */
const API_PATH = /^(https?:\/\/[^/?#]+(?:\/[^?#]*?)?)\/rest\/api\//i
/** Here sites are numbered, and people find none. */
const API_HOST = 'https://api.atlassian.com'

const siteOf = ({ self = '' }: IssueEvent['issue']): string | undefined => API_PATH.exec(self)?.[1]

const askAbout = (kind: Ask['kind'], { issue }: Pick<IssueEvent, 'issue'>): Ask => {
  const { id, key, fields } = issue
  const site = siteOf(issue)
  return {
    kind,
    // An issue that goes to another project has another key there.
    issue: `${site ?? ''}/${id ?? key}`,
    sourceId: key,
    title: fields.summary,
    description: fields.description,
    url:
      site === undefined || site.startsWith(API_HOST)
        ? undefined
        : `${site}/browse/${encodeURIComponent(key)}`,
    labels: fields.labels,
    priority: priorityNamed(fields.priority?.name),
  }
}

const created = (event: IssueEvent, labels: Labels): Ask | string => {
  const kind = kindOf(event.issue.fields.labels, labels)
  return kind === undefined ? 'The issue has no label that asks for a task' : askAbout(kind, event)
}

const updated = (event: IssueEvent, labels: Labels): Ask | string => {
  const kind = kindOf(addedIn(event), labels)
  return kind === undefined ? 'The change added no label that asks for a task' : askAbout(kind, event)
}

const addedIn = ({ changelog }: IssueEvent): string[] =>
  (changelog?.items ?? [])
    .filter(({ field }) => field === 'labels')
    .flatMap(({ from, to }) => {
      const before = new Set(namesIn(from))
      return namesIn(to).filter((name) => !before.has(name))
    })

const namesIn = (text: string): string[] => text.split(' ').filter((name) => name !== '')

const commented = (event: CommentEvent): Ask | string => {
  const { comment } = event
  const order = orderIn(comment.body)
  if (order === undefined) return 'The comment does not begin with /ai and what to do'
  if (comment.author?.accountType?.toLowerCase() === 'app') return 'Comments of programs make no tasks'
  return { ...askAbout('comment', event), order, facts: { 'comment by': comment.author?.displayName } }
}

export const rules: Readonly<Record<string, Rule>> = {
  'jira:issue_created': rule(IssueEvent, created),
  'jira:issue_updated': rule(IssueEvent, updated),
  comment_created: rule(CommentEvent, commented),
}
