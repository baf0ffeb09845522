import { matchPlace } from '../../../../lib/core/match-place.ts'
import { Marked } from './marked.tsx'

export type Match = { in: string; text: string }

/** A title shows its own match. */
export const isFoundElsewhere = (match: Match | undefined): match is Match =>
  match !== undefined && match.in !== 'title'

/** Which text of a task a search found, and its part around the words. */
export const FoundIn = ({ match, words }: { match: Match; words: string }) => (
  <span className="truncate text-muted-foreground">
    In {matchPlace(match.in)}: <Marked text={match.text} words={words} />
  </span>
)
