/** Where issues are that have tasks: a code host and two trackers. */
export type TrackerName = 'codehost' | 'trackera' | 'trackerb'

/** An issue or a pull request as its provider's API names it; `site` where one account works in several. */
export type IssueRef = { id: string; site?: string }

/** What a linked account gives: a token that works now, what the provider calls its owner, and where that one works. */
export type TrackerAccount = { token: string; username?: string; cloudId?: string }

export type Link = { label: string; url: string }

/**
 * A comment of this service, before it is in the format of a provider. `mark` is invisible there, and is what the comment
 * is found by. `text` is Markdown from outside, made neutral.
 */
export type CommentDraft = {
  mark: string
  headline: string
  facts: readonly string[]
  links: readonly Link[]
  text: string
}

/** A comment that is there. */
export type PostedComment = { id: string; url?: string }

/** What an issue says. Of its comments the newest ones, the oldest of them first. */
export type TrackerTicket = {
  title: string
  description?: string
  url?: string
  comments: readonly { author?: string; at?: string; text: string }[]
}

/**
 * Issues of one provider, with the rights of the account that asks. All of it takes no longer than `timeoutMs`. Throws
 * Problem `unauthenticated`, `forbidden`, `missing` or `invalid` for what the provider refuses whenever it is repeated,
 * `rate_limited` with the wait that it asked for, and `unavailable` when it cannot be asked. None of them holds the token.
 */
export interface Tracker {
  /** Adds a comment. Unless the answer was lost it is one comment for each call. */
  comment(asked: Asked, draft: CommentDraft): Promise<PostedComment>
  /** Replaces what a comment says. Throws Problem `missing` for one that is not there any more. */
  edit(asked: Asked, commentId: string, draft: CommentDraft): Promise<PostedComment>
  /** The comment of this account with that mark, among the newest ones; undefined when there is none. */
  find(asked: Asked, mark: string): Promise<PostedComment | undefined>
  read(asked: Asked): Promise<TrackerTicket>
}
export type Asked = { as: TrackerAccount; issue: IssueRef; timeoutMs: number }

export type Trackers = Readonly<Record<TrackerName, Tracker>>
