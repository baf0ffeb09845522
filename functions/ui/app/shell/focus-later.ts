const MOST_MS = 5_000
/** A dialog that closes gives the focus back within two frames. */
const FRAMES = 3

/** Focuses the element of a view that opens, once it is there and no dialog has the focus. */
export const focusLater = (selector: string) => {
  const end = performance.now() + MOST_MS
  const tryIn = (frames: number): number =>
    requestAnimationFrame((now) => {
      if (now > end) return
      const isCovered = document.querySelector('[role=dialog]:not([data-toast])') !== null
      const element = isCovered ? null : document.querySelector<HTMLElement>(selector)
      if (element === null) tryIn(FRAMES)
      else if (frames > 0) tryIn(frames - 1)
      else element.focus()
    })
  tryIn(FRAMES)
}
