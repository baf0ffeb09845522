import type { ReactNode } from 'react'

const factClass = "relative min-w-0 pl-4 before:absolute before:left-1.5 before:content-['·'/'']"
const isPresent = (fact: ReactNode) => fact !== undefined && fact !== null && fact !== false && fact !== ''

/**
 * Facts one after the other, with a dot between those of one line. The dot of each stands before it; that of the first one of a line
 * lies left of the box, where it is clipped. The clip leaves the outline of a focused link whole.
 */
export const Facts = ({ facts }: { facts: readonly ReactNode[] }) => (
  <span className="block min-w-0 [clip-path:inset(-1rem_-1rem_-1rem_-3px)]">
    <span className="-ml-4 flex flex-wrap">
      {facts.filter(isPresent).map((fact, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their order never changes.
        <span key={at} className={factClass}>
          {fact}
        </span>
      ))}
    </span>
  </span>
)
