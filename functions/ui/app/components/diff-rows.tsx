import type { ErrorComponentProps } from '@tanstack/react-router'
import { memo, type ReactNode, startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { type DiffLine, linesOf, type Pair } from '../../../../lib/core/diff-files.ts'
import { Boundary, useRecovery } from './boundary.tsx'
import { startOfDiffLine } from './diff-budget.ts'
import { formatNumber } from './format.ts'
import { enqueueStep } from './frame-steps.ts'
import { lazyComponent } from './lazy.tsx'

const Coloured = lazyComponent(() => import('./coloured-diff.tsx'), 'ColouredDiff')

/** So many rows are highlighted in one step, which takes about 10 ms with their layout. */
const ROWS_AT_ONCE = 20
/** Rows are highlighted when they are so near to what is visible. */
const MARGIN = '300px'

type Props = { pairs: readonly Pair[]; isSplit: boolean; language: string | undefined }

export const DiffRows = memo(({ pairs, isSplit, language }: Props) => {
  if (language === undefined) return <Rows pairs={pairs} isSplit={isSplit} words={plainWords} />
  return Array.from({ length: Math.ceil(pairs.length / ROWS_AT_ONCE) }, (_, n) => (
    <ColouredRows
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      key={n}
      pairs={pairs}
      from={n * ROWS_AT_ONCE}
      isSplit={isSplit}
      language={language}
    />
  ))
})

type ColouredProps = { pairs: readonly Pair[]; from: number; isSplit: boolean; language: string }

/** Plain until they are near to what is visible. Colours change no size. */
const ColouredRows = memo(({ pairs, from, isSplit, language }: ColouredProps) => {
  const box = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    let cancelStep: (() => void) | undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        cancelStep = enqueueStep(() => startTransition(() => setNear(true)))
      },
      { rootMargin: MARGIN, scrollMargin: MARGIN },
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      cancelStep?.()
    }
  }, [])
  const own = useMemo(() => pairs.slice(from, from + ROWS_AT_ONCE), [pairs, from])
  const lines = useMemo(() => own.flatMap(linesOf), [own])
  const plain = <Rows pairs={own} isSplit={isSplit} words={plainWords} />
  return (
    <div ref={box}>
      {isNear ? (
        <Boundary
          resetKey="diff colours"
          failed={(props) => <Uncoloured {...props}>{plain}</Uncoloured>}
          loading={plain}
        >
          <Coloured
            lines={lines}
            language={language}
            words={plainWords}
            draw={(words) => <Rows pairs={own} isSplit={isSplit} words={words} />}
          />
        </Boundary>
      ) : (
        plain
      )}
    </div>
  )
})

const Uncoloured = ({ children, ...props }: ErrorComponentProps & { children: ReactNode }) => {
  useRecovery(props)
  return children
}

const looks: Readonly<Record<DiffLine['kind'], { row: string; sign: string }>> = {
  added: { row: 'bg-completed/12', sign: '+' },
  removed: { row: 'bg-failed/12', sign: '−' },
  hunk: { row: 'bg-muted text-muted-foreground', sign: '' },
  note: { row: 'text-muted-foreground', sign: '' },
  same: { row: '', sign: '' },
}

const numberClass = 'shrink-0 pr-2 text-right text-muted-foreground select-none'
const signClass = 'w-4 shrink-0 select-none'

type Words = (line: DiffLine) => ReactNode
type RowsProps = { pairs: readonly Pair[]; isSplit: boolean; words: Words }

const Rows = ({ pairs, isSplit, words }: RowsProps) =>
  pairs.map(({ left, right }, n) =>
    isSplit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      <SplitRow key={n} left={left} right={right} words={words} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same.
      left && <UnifiedRow key={n} line={left} words={words} />
    ),
  )

const UnifiedRow = ({ line, words }: { line: DiffLine; words: Words }) => (
  <div className={`flex pr-3.5 ${looks[line.kind].row}`}>
    <span className={`w-11 ${numberClass}`}>{line.before}</span>
    <span className={`w-11 ${numberClass}`}>{line.after}</span>
    <span className={signClass}>{looks[line.kind].sign}</span>
    <span className="whitespace-pre">{line.text === '' ? ' ' : words(line)}</span>
  </div>
)

const SplitRow = ({ left, right, words }: Pair & { words: Words }) =>
  left && (left.kind === 'hunk' || left.kind === 'note') ? (
    <div className={`px-3.5 [overflow-wrap:anywhere] ${looks[left.kind].row}`}>{words(left)}</div>
  ) : (
    <div className="grid grid-cols-2">
      <Side line={left} number={left?.before} words={words} />
      <Side line={right} number={right?.after} words={words} />
    </div>
  )

type SideProps = { line: DiffLine | undefined; number: number | undefined; words: Words }

const Side = ({ line, number, words }: SideProps) =>
  line === undefined ? (
    <div className="bg-muted/50 not-first:border-l" />
  ) : (
    <div
      className={`grid min-w-0 grid-cols-[2.75rem_1rem_minmax(0,1fr)] pr-2 not-first:border-l ${looks[line.kind].row}`}
    >
      <span className={numberClass}>{number}</span>
      <span className={signClass}>{looks[line.kind].sign}</span>
      <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">{words(line)}</span>
    </div>
  )

const plainWords: Words = ({ text }) => {
  const start = startOfDiffLine(text)
  const left = text.length - start.length
  return left === 0 ? (
    start
  ) : (
    <>
      {start}
      <span className="text-muted-foreground select-none"> … {formatNumber(left)} more characters</span>
    </>
  )
}
