import * as z from 'zod'
import { definedFields } from '../core/defined-fields.ts'
import { plainText } from '../core/document-text.ts'
import type { CreateTask } from '../tasks/schema.ts'
import {
  type Ask,
  firstLabelKind,
  type Labels,
  labelKinds,
  type Provider,
  type Rule,
  rule,
  type Verdict,
} from './ask.ts'
import { orderInDocument } from './order.ts'
import { lenient, optionalText } from './outside-text.ts'

// The fields of Jira's webhook events that are read here: developer.atlassian.com/cloud/jira/platform/webhooks

const Prose = z.unknown().optional().transform(plainText)

const Author = lenient(z.object({ displayName: optionalText, accountType: optionalText }))

const KnownFields = z.object({
  summary: optionalText,
  description: Prose,
  labels: z.array(z.string()).catch([]),
  creator: Author,
  priority: lenient(z.object({ name: optionalText })),
  status: lenient(z.object({ statusCategory: lenient(z.object({ key: optionalText })) })),
})
const Fields = KnownFields.catch(KnownFields.parse({}))

const Id = lenient(z.union([z.string(), z.number().transform(String)]))

const Issue = z.object({ id: Id, self: optionalText, key: z.string(), fields: Fields })

const textAt = (item: Readonly<Record<string, unknown>>, name: string): string => {
  const value = Object.hasOwn(item, name) ? item[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** A changed field. Spaces separate labels. Only an own `toString` counts, since every object inherits one. */
const Change = z.record(z.string(), z.unknown()).transform((item) => ({
  field: textAt(item, 'field'),
  from: textAt(item, 'fromString'),
  to: textAt(item, 'toString'),
}))

const Changelog = lenient(z.object({ items: z.array(Change).catch([]) }))

const Comment = z.object({ body: z.unknown().optional().transform(orderInDocument), author: Author })

/** `user` caused the event; it is missing for a change of an anonymous person. */
const IssueEvent = z.object({ issue: Issue, changelog: Changelog, user: Author })
/** The type of the change; Server and Data Center set it for comments too. */
const TypedEvent = z.object({ issue_event_type_name: z.string() })
const CommentEvent = z.object({ issue: Issue, comment: Comment })

type IssueEvent = z.output<typeof IssueEvent>
type CommentEvent = z.output<typeof CommentEvent>

/** Jira's priorities, including those of older schemes. */
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
  const lowerCase = name.toLowerCase()
  return Object.hasOwn(priorities, lowerCase) ? priorities[lowerCase] : undefined
}

/** An API address begins with the address of the site that people use. */
const API_PATH = /^(https?:\/\/[^/?#]+(?:\/[^?#]*?)?)\/rest\/api\//i
/** On this host sites have ids and no address for people. */
const API_HOST = 'https://api.atlassian.com'

const siteUrl = ({ self = '' }: IssueEvent['issue']): string | undefined => API_PATH.exec(self)?.[1]

/** The id of an issue: its key changes when the issue moves to another project. */
const issueName = ({ id, key, ...issue }: IssueEvent['issue']): string =>
  `${siteUrl({ key, ...issue }) ?? ''}/${id ?? key}`

const askAbout = (kind: Ask['kind'], { issue }: Pick<IssueEvent, 'issue'>): Ask => {
  const { key, fields } = issue
  const site = siteUrl(issue)
  return {
    kind,
    issue: issueName(issue),
    at: { id: key, ...definedFields({ site }) },
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

/**
 * Whether a comment was written by a person of the site. Cloud sets the type `customer` for people of a service desk's
 * portal and `app` for programs; Server and Data Center set none. Without an author a comment is anonymous.
 */
const isInside = (author: z.output<typeof Author>): boolean =>
  author != null && [undefined, 'atlassian'].includes(author.accountType?.toLowerCase())

/** Programs may label issues: automation does so by rules of the site. */
const mayLabel = (author: z.output<typeof Author>): boolean =>
  isInside(author) || author?.accountType?.toLowerCase() === 'app'
const BY_OUTSIDER =
  'Labels of customers and people outside the site do not create tasks. A member of the site must add the label'

const created = (event: IssueEvent, labels: Labels): Ask | string => {
  const openedWith = labelKinds(event.issue.fields.labels, labels)
  const [kind] = openedWith
  if (kind === undefined) return 'The issue does not have the task label'
  // A program opens the request of a customer that came by mail: then the creator is the customer.
  const { user, issue } = event
  const { creator } = issue.fields
  if (!mayLabel(user ?? creator) || (creator && !mayLabel(creator))) return BY_OUTSIDER
  return { ...askAbout(kind, event), openedWith }
}

const updated = (event: IssueEvent, labels: Labels): Verdict => {
  const { added, removed } = labelsIn(event)
  const kind = firstLabelKind(added, labels)
  if (kind !== undefined) return mayLabel(event.user) ? askAbout(kind, event) : BY_OUTSIDER
  const issue = issueName(event.issue)
  if (isClosedBy(event)) return { issue, withdrawn: 'all' }
  const withdrawn = labelKinds(removed, labels)
  return withdrawn.length === 0 ? 'The task label was not added or removed' : { issue, withdrawn }
}

const labelsIn = ({ changelog }: IssueEvent) => {
  const changes = (changelog?.items ?? []).filter(({ field }) => field === 'labels')
  const less = (names: string[], others: string[]) => names.filter((name) => !others.includes(name))
  return {
    added: changes.flatMap(({ from, to }) => less(namesIn(to), namesIn(from))),
    removed: changes.flatMap(({ from, to }) => less(namesIn(from), namesIn(to))),
  }
}

/** A workflow may have several closed states; a workflow without any may only set a resolution. */
const isClosedBy = ({ issue, changelog }: IssueEvent): boolean => {
  const isDone = issue.fields.status?.statusCategory?.key?.toLowerCase() === 'done'
  return (changelog?.items ?? []).some(
    ({ field, from, to }) =>
      (field === 'status' && isDone) || (field === 'resolution' && from === '' && to !== ''),
  )
}

const namesIn = (text: string): string[] => text.split(' ').filter((name) => name !== '')

const commented = (event: CommentEvent): Ask | string => {
  const { body: order, author } = event.comment
  if (order === undefined) return 'The comment does not start with /ai and a request'
  if (!isInside(author))
    return 'Only comments of members of the site create tasks, not those of customers and bots'
  return { ...askAbout('comment', event), order, facts: { 'comment by': author?.displayName } }
}

const onUpdate = rule(IssueEvent, updated)
const onComment = rule(CommentEvent, commented)

/** Server and Data Center send a comment as a change; their `comment_created` does not name an issue. */
const onChange: Rule = (payload, labels) => {
  const kind = TypedEvent.safeParse(payload).data?.issue_event_type_name
  return (kind === 'issue_commented' ? onComment : onUpdate)(payload, labels)
}

const rules: Readonly<Record<string, Rule>> = {
  'jira:issue_created': rule(IssueEvent, created),
  'jira:issue_updated': onChange,
  'jira:issue_deleted': rule(IssueEvent, ({ issue }) => ({ issue: issueName(issue), withdrawn: 'all' })),
  comment_created: onComment,
}

const Named = z.object({ webhookEvent: z.string() })

export const trackera: Provider = {
  eventName: (payload) => Named.safeParse(payload).data?.webhookEvent,
  rules,
}
