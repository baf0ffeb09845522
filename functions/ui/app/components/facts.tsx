import type { ReactNode } from 'react'

const factClass = "relative min-w-0 pl-4 before:absolute before:left-1.5 before:content-['·'/'']"
const isPresent = (fact: ReactNode) => fact !== undefined && fact !== null && fact !== false && fact !== ''

/**
 * Facts separated by dots. The dot before the first fact of each line lies outside of the box and is clipped; the clip leaves room for
 * focus outlines.
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
