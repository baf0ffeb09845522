/** A signal that Ctrl-C aborts, in place of the end of this program: what the service was asked for goes on. */
export const interruptible = () => {
  const interrupted = new AbortController()
  const stop = () => interrupted.abort()
  process.on('SIGINT', stop)
  return { signal: interrupted.signal, [Symbol.dispose]: () => void process.off('SIGINT', stop) }
}
