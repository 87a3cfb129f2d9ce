-module(erlang_terms).
-export([go/0,use/1,two/2]).
go() ->
  Ops = ['-','+',mod,is,'*','/','|',',',';','->','-->',':-','?-','\\+','^','**','=','\\=','==','<','>','=..',':','.','!','[]','{}','$','@','#','&',dynamic,table,discontiguous,initialization,'rem','div','xor',rdiv,divmod,'not',module_transparent,multifile,public,volatile,thread_local,matches,'in','..','\\','//','<<','>>','/\\','\\/','>=','=<','is_', 'Foo','foo bar',[],'','_x','X','é','Été',nil,'it\'s','a"b','a\\b',"a\nb"|[list_to_atom(L)||L<-["a\nb","\t","\x{1}","日本","`","end.","%c","/*"]]],
  [use(O)||O<-Ops], [use({O,1})||O<-Ops], [use([O])||O<-Ops], [use([O|O])||O<-Ops], [use({O})||O<-Ops],[use({1,O,2})||O<-Ops], [use(#{O=>O})||O<-Ops],[use(#{1=>O,O=>-1,x=>{O,O}})||O<-Ops],
  Ts=[0,-1,1 bsl 70,-(1 bsl 70),1 bsl 5000,1.0,-1.5,1.0e300,1.0e-300,0.1,-0.0,{},{a},{a,b},{-1},{-1,-2},[-1],[-1|-2],#{},#{-1=>-2},#{-1.5=> -2.5},#{#{}=>#{}},<<>>,<<"abc">>,<<"a\"b\\c'd`e\n\t\r">>,<<1,2,255>>,<<"日本é"/utf8>>,<<1:3>>,<<200,3:5>>,binary:copy(<<"x">>,1000),binary:copy(<<"é"/utf8>>,1000),binary:copy(<<255>>,1000),lists:seq(1,1000),lists:duplicate(1000,$a),"héllo","a`b\\c'd\"e\n","\x{1F600}\x{1F600}",[$a|$b],"ab",[0],[[[]]],[a|b],{[],{},#{}},self(),make_ref(),hd(erlang:ports()),fun lists:map/2,fun()->ok end,fun use/1,#{'__struct__'=>'Elixir.MyApp.User',name=><<"x">>,age=>3},'Elixir.Foo','Elixir.Foo.Bar',list_to_tuple(lists:seq(1,1000)),maps:from_list([{X,X}||X<-lists:seq(1,1000)]),lists:foldl(fun(_,A)->[A] end,x,lists:seq(1,1000)),lists:foldl(fun(_,A)->{A,1} end,x,lists:seq(1,1000)),lists:foldl(fun(_,A)->#{A=>A} end,x,lists:seq(1,10)), <<0>>, <<"a",0,"b">>, [<<"a">>,<<"b">>], "\x{7f}\x{80}ab", <<16#ff,"abc">>, list_to_atom(lists:duplicate(255,$')), {<<"a">>,"bc",d,[1,2.0]},'\\x41\\'],
  [use(T)||T<-Ts],[use([T,T])||T<-Ts],[use({T,x})||T<-Ts],[two(T,T)||T<-Ts],
  ok.
use(X) -> X.
two(X,_) -> X.
