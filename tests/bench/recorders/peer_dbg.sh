#!/bin/sh
# Traces the calls of an Erlang module with dbg: peer_dbg.sh port|printed|text MODULE FILE runs MODULE:go(). `port` writes a
# binary file, of which `printed` makes the text.
print=ok
case $1 in
port) tracer="dbg:tracer(port,dbg:trace_port(file,\"$3\"))" ;;
printed)
    tracer="dbg:tracer(port,dbg:trace_port(file,\"$3.raw\"))"
    print="{ok,F}=file:open(\"$3\",[write]),\
P=dbg:trace_client(file,\"$3.raw\",{fun(M,_)->dbg:dhandler(M,F) end,F}),W=monitor(process,P),receive {_,W,_,_,_}->ok end"
    ;;
text) tracer="{ok,F}=file:open(\"$3\",[write]),dbg:tracer(process,{fun(M,_)->dbg:dhandler(M,F) end,F})" ;;
esac
exec erl -noshell -eval "$tracer,dbg:p(self(),[c,timestamp]),dbg:tpl($2,x),$2:go(),{ok,T}=dbg:get_tracer(),\
is_port(T) andalso dbg:flush_trace_port(),R=is_pid(T) andalso monitor(process,T),dbg:stop_clear(),\
is_pid(T) andalso receive {_,R,_,_,_}->ok end,$print,halt()."
