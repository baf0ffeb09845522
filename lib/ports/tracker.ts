/** The providers of issues: a code host and two trackers. */
export type TrackerName = 'codehost' | 'trackera' | 'trackerb'

/** An issue or a pull request by its id in the provider's API; `site` for an account that works in several sites. */
export type IssueRef = { id: string; site?: string }

/** The access of a linked account: a valid token, the provider's name of its owner, and the site. */
export type TrackerAccount = { token: string; username?: string; cloudId?: string }

export type Link = { label: string; url: string }

/**
 * A comment of this service, before conversion to a provider's format. `mark` is invisible to readers and identifies the
 * comment. `text` is Markdown from outside, made neutral.
 */
export type CommentDraft = {
  mark: string
  headline: string
  facts: readonly string[]
  links: readonly Link[]
  text: string
}

/** A comment that exists. */
export type PostedComment = { id: string; url?: string }

/** The content of an issue. `comments` are the newest ones, oldest first. */
export type TrackerTicket = {
  title: string
  description?: string
  url?: string
  comments: readonly { author?: string; at?: string; text: string }[]
}

/**
 * Issues of one provider, with the rights of the given account. A call takes at most `timeoutMs`. Throws Problem
 * `unauthenticated`, `forbidden`, `missing` or `invalid` when the provider refuses and a repeat would fail too,
 * `rate_limited` with the provider's wait, and `unavailable` when the provider does not answer. No error contains the
 * token.
 */
export interface Tracker {
  /** Adds a comment. One call adds one comment, unless its answer was lost. */
  comment(asked: Asked, draft: CommentDraft): Promise<PostedComment>
  /** Replaces the text of a comment. Throws Problem `missing` for one that does not exist any more. */
  edit(asked: Asked, commentId: string, draft: CommentDraft): Promise<PostedComment>
  /** This account's comment with that mark, among the newest ones; undefined when there is none. */
  find(asked: Asked, mark: string): Promise<PostedComment | undefined>
  read(asked: Asked): Promise<TrackerTicket>
}
export type Asked = { as: TrackerAccount; issue: IssueRef; timeoutMs: number }

export type Trackers = Readonly<Record<TrackerName, Tracker>>
