import { type ReactNode, useLayoutEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { useNarrow } from '../components/narrow.ts'
import { type Approval, useApprovals } from '../data/approvals.ts'
import { callInBar } from './call-in-bar.ts'
import { type Call, isUndecided, useCalls } from './calls.ts'
import type { Mark } from './decision.ts'
import { DecisionBar } from './decision-bar.tsx'
import { isInScope, type Scope } from './scope.ts'

type Props = {
  scope: Scope
  /** The composer, where there is one. */
  children?: ReactNode
  /** What can be done beside the decision, instead of opening the composer. */
  more?: ReactNode
  /** Leads to the call with its arguments, where it is out of view. */
  toCall?: ReactNode
}

/** On a phone the decision about a call that waits stands in place of the composer. */
export const DecisionOrComposer = ({ scope, children, more, toCall }: Props) => {
  const isNarrow = useNarrow()
  const { data = none } = useApprovals()
  const { calls, mark } = useCalls(data)
  const [isReplying, setReplying] = useState(false)
  const ofScope = calls.filter(({ approval }) => isInScope(approval, scope))
  const isWaiting = ofScope.some(isUndecided)
  // The next call has the bar again.
  if (isReplying && !isWaiting) setReplying(false)
  if (!isNarrow || isReplying || !isWaiting) return children
  return (
    <Bar calls={ofScope} mark={mark}>
      <div className="flex justify-center gap-2 empty:hidden">
        {toCall}
        {more ??
          (children !== undefined && (
            <Button kind="ghost" onClick={() => setReplying(true)}>
              Reply instead
            </Button>
          ))}
      </div>
    </Bar>
  )
}

const none: readonly Approval[] = []

/** Stays at a call once it is decided, until the person goes on to the next one. */
const Bar = ({ calls, mark, children }: { calls: readonly Call[]; mark: Mark; children: ReactNode }) => {
  const waiting = calls.filter(isUndecided)
  const [shown, setShown] = useState(waiting[0]?.approval.id)
  const call = calls.find(({ approval }) => approval.id === shown) ?? waiting[0]
  const id = call?.approval.id
  useLayoutEffect(() => {
    callInBar.set(id)
    return () => callInBar.set(undefined)
  }, [id])
  if (call === undefined) return null
  return (
    <DecisionBar
      call={call}
      others={waiting.filter((one) => one !== call).length}
      mark={mark}
      onNext={() => setShown(waiting[0]?.approval.id)}
    >
      {children}
    </DecisionBar>
  )
}
