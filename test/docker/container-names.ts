import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const headBytes = 12;
const typeAndClassBytes = 4;
const typeOfIpv4 = 1;
const authoritative = 0x8400;
const noSuchName = 3;
/** Refers to the name of the question, which begins behind the head (RFC 1035, section 4.1.4). */
const sameName = 0xc000 + headBytes;
const classInternet = 1;
const ttlS = 600;

/** Docker's DNS, which answers each name with the addresses of the containers. Until the end of the test. */
export async function startContainerNames(addresses: readonly string[]) {
  const names = { port: 0, addresses };
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, names.addresses), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  names.port = socket.address().port;
  return names;
}

/** Without addresses there is no such name. Of other types than IPv4 a name has no addresses. */
function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const question = query.subarray(headBytes, query.indexOf(0, headBytes) + 1 + typeAndClassBytes);
  const isIpv4 = question.readUInt16BE(question.length - typeAndClassBytes) === typeOfIpv4;
  const answers = (isIpv4 ? addresses : []).map((address) => {
    const answer = Buffer.alloc(16);
    answer.writeUInt16BE(sameName, 0);
    answer.writeUInt16BE(typeOfIpv4, 2);
    answer.writeUInt16BE(classInternet, 4);
    answer.writeUInt32BE(ttlS, 6);
    answer.writeUInt16BE(4, 10);
    answer.set(address.split('.').map(Number), 12);
    return answer;
  });
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(query.readUInt16BE(0), 0);
  head.writeUInt16BE(authoritative + (addresses.length === 0 ? noSuchName : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  return Buffer.concat([head, question, ...answers]);
}
