import { nodeExchange } from './node-request.ts';
import { Problem } from './problem.ts';

/**
 * A signal that is aborted when the client of a request leaves, so that expensive work for it ends. A client that closes
 * only its side counts as gone, as for streams: a proxy closes its side in the same way when its own client leaves. The
 * connection is then closed.
 *
 * @returns a signal whose reason is the problem `client_gone`, for the audit entry of the call.
 */
export function clientSignal(request: Request): AbortSignal {
  const [{ socket }, response] = nodeExchange(request);
  const gone = new AbortController();
  const abort = () => gone.abort(new Problem('client_gone', 'the client has closed its connection'));
  // A response that is closed already reports it no more.
  if (response.destroyed) {
    abort();
    return gone.signal;
  }
  const leave = () => response.destroy();
  socket.once('end', leave);
  response.once('close', () => {
    socket.off('end', leave);
    if (!response.writableFinished) abort();
  });
  // The client may have closed its side before this was called.
  if (socket.readableEnded) leave();
  return gone.signal;
}
