/** The slots of runs: their waiters get the free ones in the order they came. */
export const createSlots = (size: number) => {
  let free = size
  /** The runs that have given up their slot while a person decides. Their programs live on, so they are bounded too. */
  let away = 0
  const waiting: (() => void)[] = []
  /** Returns undefined at once when a slot is free: the common path needs no await. */
  const acquire = (): Promise<void> | undefined => {
    if (free > 0) {
      free--
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  /** The slot of a run that has acquired one. */
  const open = () => {
    const givenUp = Promise.withResolvers<void>()
    let isHeld = true
    let isOver = false
    let taking: Promise<void> | undefined
    const comeBack = () => {
      isHeld = true
      away--
    }
    const acquireAgain = async () => {
      await acquire()
      taking = undefined
      if (isOver) release()
      else comeBack()
    }
    return {
      /** Resolves when its run gives it up for the first time. */
      givenUp: givenUp.promise,
      /** Leaves the slot to other runs, unless as many have done so as there are slots. */
      giveUp: (): void => {
        if (!isHeld || away === size) return
        isHeld = false
        away++
        release()
        givenUp.resolve()
      },
      /** Takes it again, unless the run has ended meanwhile. */
      take: async (): Promise<void> => {
        if (isHeld || isOver) return
        // Of several waits that end while no slot is free, one asks for it.
        taking ??= acquireAgain()
        await taking
      },
      /** The run has ended. */
      end: (): void => {
        isOver = true
        if (isHeld) release()
        else comeBack()
      },
    }
  }
  return { acquire, open }
}
export type Slot = ReturnType<ReturnType<typeof createSlots>['open']>
